// Parses status updates of outbound messages and calls.
import type { MessageStatusEvent } from '../../contract/events.ts'
import type { CallStatusUpdate } from '../../contract/provider-updates.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import {
  errorsIn,
  momentOf,
  readId,
  readInstant,
  readOpaque,
  readString,
  record,
  unnamedError,
} from './fields.ts'

interface Status {
  readonly id: string
  /** The provider's word in lower case. */
  readonly word: string
  /** All of it. */
  readonly given: Readonly<Record<string, unknown>>
}

const messageStatuses = new Map<string, MessageStatusEvent>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['failed', 'FAILED'],
])

const callStatuses = new Map<string, CallStatusUpdate['status']>([
  ['ringing', 'RINGING'],
  ['accepted', 'ACCEPTED'],
  ['rejected', 'REJECTED'],
])

/** `field`: the webhook field with the status. Call statuses come in `calls`, or have the type `call`. */
export function readStatus(given: unknown, context: NumberContext, field: 'messages' | 'calls'): Element {
  const all = record(given)
  const id = readId(all['id'])
  const word = readString(all['status'])?.toLowerCase()
  if (id === null || word === undefined) return skipped('malformed')
  const status = { id, word, given: all }
  return field === 'calls' || all['type'] === 'call'
    ? callStatus(status, context)
    : messageStatus(status, context)
}

const shared = ({ given }: Status, context: NumberContext) => ({
  phoneNumberId: context.phoneNumberId,
  at: momentOf(readInstant(given['timestamp']), context.receivedAt),
  opaque: readOpaque(given['biz_opaque_callback_data']),
  recipient: recipientOf(given, context),
})

/** The id of a group is nobody's number. */
const recipientOf = (given: Status['given'], context: NumberContext) =>
  given['recipient_type'] === 'group'
    ? null
    : context.personOf({
        phone: given['recipient_id'],
        userId: given['recipient_user_id'],
        parentUserId:
          readString(given['recipient_parent_user_id']) ??
          // The name of the field before May 2026.
          given['parent_recipient_user_id'],
      })

function messageStatus(status: Status, context: NumberContext): Element {
  const { word, given } = status
  const moved = messageStatuses.get(word)
  // `played` follows `read` on voice messages and adds nothing.
  if (moved === undefined) return skipped(word === 'played' ? 'irrelevant' : 'unknown')
  const reason = errorsIn(given['errors'])[0] ?? unnamedError
  return {
    type: 'messageStatus',
    providerMessageId: status.id,
    status: moved,
    ...shared(status, context),
    error: moved === 'FAILED' ? reason : null,
  }
}

function callStatus(status: Status, context: NumberContext): Element {
  const moved = callStatuses.get(status.word)
  if (moved === undefined) return skipped('unknown')
  return { type: 'callStatus', wacid: status.id, status: moved, ...shared(status, context) }
}
