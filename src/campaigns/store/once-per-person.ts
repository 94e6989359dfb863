// Which of several recipients of one claim gets the message of a person.
import type { Uuid } from '../../shared/ids.ts'
import type { Claim, PickedRecipient } from '../send-ports.ts'
import type { SkipReason } from '../skip-reason.ts'
import type { Person } from './campaign-people.store.ts'

export interface Picked extends PickedRecipient {
  /** Whom an earlier claim of this recipient took it for. */
  readonly contactId: Uuid | null
}

export interface Judged {
  readonly recipient: Picked
  readonly person: Person
  readonly claim: Claim | Skip
}

export interface Skip {
  readonly type: 'skip'
  readonly reason: SkipReason
}

/**
 * Of several recipients of one person one is sent to: who was tried before, else the first. Earlier claims are looked up
 * when this one is written.
 */
export function oncePerPerson(judged: readonly Judged[]): Judged[] {
  const chosen = new Map<Uuid, Judged>()
  for (const each of judged) {
    const { contactId } = each.person
    if (each.claim.type !== 'send' || contactId === null) continue
    const best = chosen.get(contactId)
    if (!best || triedBefore(each) > triedBefore(best)) chosen.set(contactId, each)
  }
  return judged.map((each) => {
    const { claim, person } = each
    if (claim.type !== 'send' || person.contactId === null || chosen.get(person.contactId) === each)
      return each
    return { ...each, claim: { type: 'skip', reason: 'DUPLICATE_PERSON' } }
  })
}

/**
 * A recipient that stands for the contact hinders every other one of it, so it comes first; then who was tried before
 * contacts became one. A resend has taken the message from who was tried, but not the contact.
 */
function triedBefore({ recipient: { contactId, messageId }, person }: Judged): number {
  if (contactId !== null && contactId === person.contactId) return 2
  return contactId !== null || messageId !== null ? 1 : 0
}
