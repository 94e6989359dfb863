// Who wants no marketing messages: what people choose in the provider's app, and what the provider says when it refuses
// a message for that reason. The latest by the provider's time counts.
import type { Dispatch } from '../contract/dispatch.ts'
import { type ContactUpdatedData, queuedBody } from '../contract/events.ts'
import type { UpdateOutcome } from '../contract/inbound-elements.ts'
import type { Person } from '../contract/person.ts'
import type { UserPreferenceUpdate } from '../contract/provider-updates.ts'
import { phoneOf } from '../shared/address.ts'
import type { Clock } from '../shared/clock.ts'
import { encodeId, type MessageId, newId } from '../shared/ids.ts'
import type { ConsentStore, MarketingChoice, Parties, SenderNumber } from './ports.ts'

export interface ConsentPorts {
  readonly store: ConsentStore
  readonly contacts: {
    resolveParties(from: {
      phoneNumberId: string
      person: Person
      at: Date
      isFresh?: boolean
    }): Promise<(SenderNumber & Parties) | undefined>
  }
  readonly dispatch: Dispatch
  readonly clock: Clock
  /** Called for choices that concern no number or nothing that is sent here. */
  readonly ignored: (type: string) => void
}

export interface Consent {
  /** Resolves when the choice is durable. */
  applyPreference(update: UserPreferenceUpdate): Promise<UpdateOutcome>
  /** The provider refused the message because the person has stopped marketing messages. */
  noteRefusal(messageId: MessageId, at: Date): Promise<void>
}

const marketing = 'marketing_messages'

export const createConsent = (ports: ConsentPorts): Consent => ({
  async applyPreference({ category, phoneNumberId, person, value, at }) {
    if (category !== marketing) return ignored(ports, 'irrelevant')
    // A contact who was erased or merged since its ids were read has others by the second try.
    for (let tries = 0; tries < 3; tries += 1) {
      const who = { phoneNumberId, person, at, isFresh: tries > 0 }
      const parties = await ports.contacts.resolveParties(who)
      if (!parties) return ignored(ports, 'unknownNumber')
      const choice = { isOptedOut: value === 'stop', source: 'preference', at } as const
      if (await write(ports, parties, choice)) return 'applied'
    }
    throw new Error('the contact of a preference was erased again and again')
  },

  async noteRefusal(messageId, at) {
    const parties = await ports.store.recipientOf(messageId)
    if (parties) await write(ports, parties, { isOptedOut: true, source: 'refusal', at })
  },
})

function ignored(ports: ConsentPorts, outcome: UpdateOutcome): UpdateOutcome {
  ports.ignored('userPreference')
  return outcome
}

/** False where the contact is gone. */
async function write(
  { store, dispatch, clock }: ConsentPorts,
  parties: Parties & Pick<SenderNumber, 'workspaceId'>,
  choice: MarketingChoice,
): Promise<boolean> {
  const data: ContactUpdatedData = {
    conversationId: encodeId('conversation', parties.conversationId),
    from: phoneOf(parties.address) ?? '',
    userId: parties.userId,
    username: parties.username,
    marketingOptedOut: choice.isOptedOut,
    source: choice.source,
    occurredAt: choice.at.toISOString(),
  }
  const body = queuedBody('contact.updated', new Date(clock.now()), data)
  const written = await store.chooseMarketing({ ...parties, ...choice, eventId: newId('event'), body })
  if (written) dispatch(written)
  return written !== undefined
}
