// The kinds of work: texts in, calls in, calls answered, sends, lists.
import { unixSeconds } from '../../src/simulator/ids.ts'
import { callUpdate, messageUpdate } from '../../src/simulator/webhook-payloads.ts'
import type { WorkName } from '../harness/opponents.ts'
import { newToken } from '../harness/token.ts'
import { sessionText } from './sdp.ts'
import {
  apiRequest,
  businessNumber,
  contactOf,
  type PlanContext,
  partiesOf,
  type Shot,
  type Work,
  webhook,
} from './work.ts'

/** A call ends this long after it began; one that is to be answered lives longer. */
const ringsMs = 300
const talksMs = 3_000
const offerBytes = 2_500
const textBytes = 60

const filled = (start: string, bytes: number): string => start.padEnd(bytes, ' and so on')

/** A customer writes: the provider's webhook comes in, message.received goes out. */
const text = (name: 'event' | 'event-https', transport: Work['transport']): Work => ({
  name,
  transport,
  measured: 'message.received',
  further: 0,
  unit(context, index, atMs) {
    const { number, waId } = partiesOf(context, index)
    const id = newToken()
    const update = messageUpdate(businessNumber(number), contactOf(waId), {
      from: waId,
      id: `wamid.${id}`,
      timestamp: unixSeconds(Date.now() + atMs),
      type: 'text',
      // message.received has our message id, not the provider's: the id in the text joins webhook and frame.
      text: { body: filled(`${id} Is my order ready?`, context.bytes ?? textBytes) },
    })
    return [{ id, atMs, request: webhook(context, update) }]
  },
})

/** A customer calls, and hangs up later: the second webhook is load but not measured. */
function call(context: PlanContext, index: number, when: { atMs: number; lastsMs: number }): Shot[] {
  const { number, waId } = partiesOf(context, index)
  const id = newToken()
  const shared = { id: `wacid.${id}`, from: waId, to: number.digits, direction: 'USER_INITIATED' }
  const update = (event: string, atMs: number, more: Record<string, unknown>) =>
    callUpdate(businessNumber(number), contactOf(waId), {
      ...shared,
      event,
      timestamp: unixSeconds(Date.now() + atMs),
      ...more,
    })
  const endsAtMs = when.atMs + when.lastsMs
  const session = { sdp_type: 'offer', sdp: sessionText('offer', context.bytes ?? offerBytes) }
  const connect = update('connect', when.atMs, { session })
  const terminate = update('terminate', endsAtMs, { status: 'COMPLETED' })
  return [
    { id, atMs: when.atMs, request: webhook(context, connect) },
    { id, atMs: endsAtMs, request: webhook(context, terminate), isFollow: true },
  ]
}

const ringing: Work = {
  name: 'ringing',
  transport: 'socket',
  measured: 'call.ringing',
  // call.status with RINGING and with MISSED.
  further: 2,
  unit: (context, index, atMs) => call(context, index, { atMs, lastsMs: ringsMs }),
}

/** The workspace answers a ringing call by API, until the provider has the answer. */
const answer: Work = {
  name: 'answer',
  transport: 'socket',
  measured: 'provider.accept',
  from: 'answer.sent',
  // call.ringing, and call.status with RINGING, ACCEPTED and COMPLETED.
  further: 4,
  answersCalls: true,
  unit: (context, index, atMs) => call(context, index, { atMs, lastsMs: talksMs }),
}

/** The workspace writes: POST /messages/chat until the provider has it. Its statuses come back. */
const send: Work = {
  name: 'send',
  transport: 'socket',
  measured: 'provider.message',
  // message.status with DELIVERED.
  further: 1,
  unit(context, index, atMs) {
    const { number, waId } = partiesOf(context, index)
    const id = newToken()
    const body = filled(`${id} Your order is ready.`, context.bytes ?? textBytes)
    const request = apiRequest(context, '/messages/chat', {
      to: `+${waId}`,
      from: `+${number.digits}`,
      text: { body },
    })
    return [{ id, atMs, request }]
  },
}

const list = (name: 'list-messages' | 'list-conversations', path: string): Work => ({
  name,
  transport: 'socket',
  measured: 'answer',
  further: 0,
  unit: (context, _index, atMs) => [{ id: newToken(), atMs, request: apiRequest(context, path) }],
})

export const works: Readonly<Record<WorkName, Work>> = {
  event: text('event', 'socket'),
  'event-https': text('event-https', 'https'),
  ringing,
  answer,
  send,
  'list-messages': list('list-messages', '/messages/chat?limit=50'),
  'list-conversations': list('list-conversations', '/conversations?limit=50'),
}
