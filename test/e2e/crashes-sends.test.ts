// Gateways that die while they send a message: the provider is never asked twice, and no message is lost.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import { asked, calm, dieAt, openCrashScene } from './crashes.ts'
import { hello } from './message-steps.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene()
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

const order = (key: string, to: string) => ({ ...hello(to), idempotencyKey: key })
const send = (body: Json) => scene.stack.api.post('/messages/chat', body)
const read = (id: string): Promise<Json> => ok(scene.stack.api.get(`/messages/chat/${id}`))
const requestsTo = (to: string) => asked(scene, (body) => body.type === 'template' && body.to === to)

const stateOf = async (key: string): Promise<string> => {
  const [row] = await scene.stack.sql`
    select status, send_state from messages where idempotency_key = ${key}`
  return `${row?.['status']} ${row?.['sendState']}`
}

/** Makes the send overdue, so that the sweeper acts on it. */
const overdue = (key: string) => scene.stack.sql`
  update messages set send_due_at = now() - interval '1 second'
  where idempotency_key = ${key} and send_due_at is not null`

/** The caller got no answer and asks again: it gets the same message, and no second one is made. */
async function repeated(body: Json): Promise<Json> {
  const { status, body: message } = await send(body)
  assert.equal(status, 200, JSON.stringify(message))
  const rows = await scene.stack.sql`select 1 from messages where idempotency_key = ${body.idempotencyKey}`
  assert.equal(rows.length, 1)
  return message
}

const statusesOf = (id: string) =>
  scene.socket.inbox.all(({ data }) => data?.messageId === id).map(({ body }) => body.data.status)

step('accepted, and the provider not asked: it is sent once', async () => {
  const body = order('accepted', '+15557000421')
  await dieAt(scene, 'after_accept_before_send', () => send(body))
  assert.equal(await stateOf('accepted'), 'QUEUED PENDING')
  await scene.stack.restartGateway(0)
  const { id } = await repeated(body)
  await eventually('it is delivered', async () => (await read(id)).status === 'DELIVERED')
  await calm(scene)
  assert.equal((await requestsTo(body.to)).length, 1)
  assert.equal(statusesOf(id).at(-1), 'DELIVERED')
})

step('a reply that was accepted, and the provider not asked: it is sent once, as it was asked', async () => {
  const [to, text] = ['15557000428', 'Still open?']
  const { id: asking } = await ok(
    scene.stack.sim.post(`/handsets/${to}/messages`, {
      to: scene.stack.numbers[0].number,
      type: 'text',
      text,
    }),
  )
  let question: Json
  await eventually('the question is there', async () => {
    const { data } = await ok(
      scene.stack.api.get(`/messages/chat?providerMessageId=${encodeURIComponent(asking)}`),
    )
    question = data[0]
    return question !== undefined
  })
  const buttons = [{ id: 'yes', title: 'Yes' }]
  const interactive = { kind: 'buttons', body: 'Shall we keep it?', footer: 'North Dock', buttons }
  const body = { to: `+${to}`, interactive, replyTo: question.id, idempotencyKey: 'reply' }
  await dieAt(scene, 'after_accept_before_send', () => send(body))
  assert.equal(await stateOf('reply'), 'QUEUED PENDING')
  await scene.stack.restartGateway(0)
  const { id } = await repeated(body)
  await eventually('it is delivered', async () => (await read(id)).status === 'DELIVERED')
  await calm(scene)
  const sent = await asked(scene, (one) => one.type === 'interactive' && one.to?.endsWith(to))
  assert.equal(sent.length, 1)
  assert.deepEqual(sent[0]?.body.context, { message_id: asking })
  assert.equal(sent[0]?.body.interactive.footer.text, 'North Dock')
})

step('perhaps on the wire, and in truth not: it is never sent, and at last said to be unknown', async () => {
  const body = order('on the wire', '+15557000422')
  await dieAt(scene, 'before_provider_request', () => send(body))
  assert.equal(await stateOf('on the wire'), 'QUEUED SENDING')
  await scene.stack.restartGateway(0)
  const { id, status } = await repeated(body)
  assert.equal(status, 'QUEUED')
  await overdue('on the wire')
  await eventually('it is unknown', async () => (await stateOf('on the wire')) === 'QUEUED UNKNOWN')
  await overdue('on the wire')
  await eventually('it is given up', async () => (await read(id)).status === 'FAILED')
  assert.equal((await read(id)).error.code, 'OUTCOME_UNKNOWN')
  await calm(scene)
  assert.deepEqual(statusesOf(id), ['FAILED'])
  assert.equal((await requestsTo(body.to)).length, 0)
})

step(
  'taken by the provider, and its answer lost: the statuses settle it, and it is not sent again',
  async () => {
    const body = order('taken', '+15557000423')
    await dieAt(scene, 'after_provider_answer', () => send(body))
    assert.equal(await stateOf('taken'), 'QUEUED SENDING')
    const [request, ...more] = await requestsTo(body.to)
    assert.ok(request && more.length === 0, 'asked once')
    await scene.stack.restartGateway(0)
    const { id } = await repeated(body)
    assert.equal(request.body.biz_opaque_callback_data, id)
    await eventually('it is delivered', async () => (await read(id)).status === 'DELIVERED')
    assert.equal(await stateOf('taken'), 'DELIVERED ACCEPTED')
    assert.match((await read(id)).providerMessageId, /^wamid\./)
    await calm(scene)
    assert.equal((await requestsTo(body.to)).length, 1)
    assert.equal(statusesOf(id).at(-1), 'DELIVERED')
  },
)
