// The kinds of work: texts in, calls in, calls answered, sends, lists.
import { unixSeconds } from '../../src/simulator/ids.ts'
import { callUpdate, messageUpdate } from '../../src/simulator/webhook-payloads.ts'
import type { WorkName } from '../harness/opponents.ts'
import { newToken } from '../harness/token.ts'
import { sessionText } from './sdp.ts'
import { blank } from './template.ts'
import {
  apiRequest,
  businessNumber,
  contactOf,
  type PlanContext,
  partiesOf,
  type Shot,
  type Work,
  webhookForm,
} from './work.ts'

/** A call ends this long after it began; one that is to be answered lives longer. */
const ringsMs = 300
const talksMs = 3_000
const offerBytes = 2_500
const textBytes = 60

const filled = (start: string, bytes: number): string => start.padEnd(bytes, ' and so on')

/** The number and the customer that a form leaves open. */
const openNumber = businessNumber({
  ...{ id: blank('number'), digits: blank('digits'), contacts: [], transport: 'socket' },
})
const openContact = { waId: blank('waId'), name: blank('name') }

function valuesOf(context: PlanContext, index: number) {
  const { number, waId } = partiesOf(context, index)
  const { name } = contactOf(waId)
  return { number: number.id, digits: number.digits, waId, name, id: newToken() }
}

const timestampAt = (atMs: number) => unixSeconds(Date.now() + atMs)

const textForm = () =>
  webhookForm(({ bytes = textBytes }) => {
    // As long as the id that is filled in.
    const id = newToken()
    return messageUpdate(openNumber, openContact, {
      from: blank('waId'),
      id: `wamid.${blank('id')}`,
      timestamp: blank('timestamp'),
      type: 'text',
      // message.received has our message id, not the provider's: the id in the text joins webhook and frame.
      text: { body: filled(`${id} Is my order ready?`, bytes).replace(id, blank('id')) },
    })
  })

/** A customer writes: the provider's webhook comes in, message.received goes out. */
function text(name: 'event' | 'event-https', transport: Work['transport']): Work {
  const form = textForm()
  return {
    name,
    transport,
    measured: 'message.received',
    further: 0,
    unit(context, index, atMs) {
      const values = { ...valuesOf(context, index), timestamp: timestampAt(atMs) }
      return [{ id: values.id, atMs, request: form(context, values) }]
    },
  }
}

const callForm = (event: string, more: (context: PlanContext) => Record<string, unknown>) =>
  webhookForm((context) =>
    callUpdate(openNumber, openContact, {
      id: `wacid.${blank('id')}`,
      from: blank('waId'),
      to: blank('digits'),
      direction: 'USER_INITIATED',
      event,
      timestamp: blank('timestamp'),
      ...more(context),
    }),
  )
const connectForm = callForm('connect', ({ bytes = offerBytes }) => ({
  session: { sdp_type: 'offer', sdp: sessionText('offer', bytes) },
}))
const terminateForm = callForm('terminate', () => ({ status: 'COMPLETED' }))

/** A customer calls, and hangs up later: the second webhook is load but not measured. */
function call(context: PlanContext, index: number, when: { atMs: number; lastsMs: number }): Shot[] {
  const values = valuesOf(context, index)
  const { id } = values
  const endsAtMs = when.atMs + when.lastsMs
  const connect = connectForm(context, { ...values, timestamp: timestampAt(when.atMs) })
  const terminate = terminateForm(context, { ...values, timestamp: timestampAt(endsAtMs) })
  return [
    { id, atMs: when.atMs, request: connect },
    { id, atMs: endsAtMs, request: terminate, isFollow: true },
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
