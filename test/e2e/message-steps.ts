// Steps that a workspace takes with messages. They work with one gateway and with several.
import assert from 'node:assert/strict'
import { type Json, ok, refused } from './clients.ts'
import { assertQueued } from './expectations.ts'
import { atBoth, eventually, type Scene } from './scene.ts'

const ORDER = {
  name: 'order_ready',
  language: 'en_US',
  variables: { store: 'North Dock', first_name: 'Ines', order_number: 'A-4471' },
}

export const hello = (to: string) => ({ to, template: { name: 'hello_world', language: 'en_US' } })

/** Sends to a handset, and lets each status come when the one before was told; returns the message in its final state. */
export async function sendAndFollow(scene: Scene, to = '15557000055'): Promise<Json> {
  const { api, sim } = scene.stack
  // Of two gateways that hear of two statuses at once the later one may be first, and the other is not told then.
  await ok(sim.put(`/handsets/${to}`, { online: false }))
  const order = { to: `+${to}`, template: ORDER, idempotencyKey: `order-A-4471-${to}` }
  const sent = await ok(api.post('/messages/chat', order), 202)
  assert.equal(sent.status, 'QUEUED')
  assert.equal(sent.text, 'North Dock\nHi Ines, order A-4471 is ready.\nNorth Dock')
  const repeat = await api.post('/messages/chat', order)
  assert.deepEqual([repeat.status, repeat.body.id], [200, sent.id])
  assert.equal(repeat.headers.get('idempotent-replayed'), 'true')
  const other = { ...order, template: { ...ORDER, variables: { ...ORDER.variables, first_name: 'Noor' } } }
  assert.equal(await refused(api.post('/messages/chat', other), 409), 'IDEMPOTENCY_KEY_REUSED')
  await statusAtBoth(scene, sent, 'SENT')
  await ok(sim.put(`/handsets/${to}`, { online: true }))
  await statusAtBoth(scene, sent, 'DELIVERED')
  await ok(sim.post(`/handsets/${to}/read`))
  await statusAtBoth(scene, sent, 'READ')
  const read = await ok(api.get(`/messages/chat/${sent.id}`))
  assert.equal(read.status, 'READ')
  // The provider gives times in whole seconds, so they may be equal.
  assert.ok(read.sentAt <= read.deliveredAt && read.deliveredAt <= read.readAt, 'times in order')
  assertOrder(scene, sent.id)
  return read
}

async function statusAtBoth(scene: Scene, { id, conversationId }: Json, status: string): Promise<void> {
  const both = await atBoth(scene, `${status} of ${id}`, ({ data }) => {
    return data?.messageId === id && data.status === status
  })
  const { providerMessageId } = both.post.body.data
  assert.match(providerMessageId, /^wamid\./)
  assertQueued(scene, both, {
    event: 'message.status',
    data: { messageId: id, conversationId, providerMessageId, status },
  })
}

function assertOrder({ https, socket }: Scene, messageId: string): void {
  for (const { inbox } of [https, socket]) {
    const statuses = inbox
      .all(({ data }) => data?.messageId === messageId)
      .map(({ body }) => body.data.status)
    assert.deepEqual(statuses, ['SENT', 'DELIVERED', 'READ'])
  }
}

/** Sends a message that fails; its status must give the reason. */
export async function sendInVain(scene: Scene): Promise<void> {
  const sent = await ok(scene.stack.api.post('/messages/chat', hello('+15557000003')), 202)
  const both = await atBoth(scene, 'FAILED', ({ data }) => data?.messageId === sent.id)
  const { error, providerMessageId } = both.post.body.data
  assert.equal(typeof error.title, 'string')
  assertQueued(scene, both, {
    event: 'message.status',
    data: {
      messageId: sent.id,
      conversationId: sent.conversationId,
      providerMessageId,
      status: 'FAILED',
      error,
    },
  })
}

export const write = ({ stack }: Scene, from: string, text: string, number = 0): Promise<Json> =>
  ok(
    stack.sim.post(`/handsets/${from}/messages`, {
      to: stack.numbers[number]?.phoneNumberId,
      type: 'text',
      text,
      name: 'Ines Duarte',
    }),
  )

const textIs = (text: string) => (body: Json) => body.event === 'message.received' && body.data.text === text

/** A contact writes; both receivers get the event. */
export async function receive(scene: Scene, from = '15557000101'): Promise<Json> {
  const { api, numbers } = scene.stack
  const text = `Olá, is it open? from ${from}`
  await write(scene, from, text)
  const both = await atBoth(scene, text, textIs(text))
  const { messageId, conversationId, userId, username } = both.post.body.data
  const to = numbers[0].number
  assertQueued(scene, both, {
    event: 'message.received',
    data: {
      messageId,
      conversationId,
      text,
      from,
      fromName: 'Ines Duarte',
      userId,
      username,
      to,
      type: 'TEXT',
    },
  })
  const stored = await ok(api.get(`/messages/chat/${messageId}`))
  assert.deepEqual(
    [stored.status, stored.direction, stored.text, stored.from],
    ['RECEIVED', 'INBOUND', text, from],
  )
  return stored
}

/** STOP blocks sends to the contact until START. */
export async function optOut(scene: Scene, from = '15557000102'): Promise<void> {
  const { api } = scene.stack
  for (const [text, optChange] of [
    ['Stop', 'opted-out'],
    [' START ', 'opted-in'],
  ] as const) {
    await write(scene, from, text)
    const both = await atBoth(
      scene,
      optChange,
      ({ data }) => data?.from === from && data.optChange === optChange,
    )
    const { messageId, conversationId, userId, username } = both.post.body.data
    const { numbers } = scene.stack
    assertQueued(scene, both, {
      event: 'message.received',
      data: {
        ...{ messageId, conversationId, text, from, userId, username, type: 'TEXT' },
        ...{ fromName: 'Ines Duarte', to: numbers[0].number, optChange },
      },
    })
    const reply = api.post('/messages/chat', hello(`+${from}`))
    if (optChange === 'opted-in') await ok(reply, 202)
    else assert.equal(await refused(reply, 422), 'RECIPIENT_OPTED_OUT')
  }
}

/** A customer stops marketing messages in the provider's app, and resumes them; both receivers get the events. */
export async function chooseMarketing(scene: Scene, from = '15557000104'): Promise<void> {
  const { sim, numbers } = scene.stack
  for (const value of ['stop', 'resume'] as const) {
    const marketingOptedOut = value === 'stop'
    await ok(sim.post(`/handsets/${from}/preferences`, { to: numbers[0].phoneNumberId, value }))
    const both = await atBoth(
      scene,
      `${value} of ${from}`,
      ({ event, data }) =>
        event === 'contact.updated' && data.from === from && data.marketingOptedOut === marketingOptedOut,
    )
    const { conversationId, userId, username } = both.post.body.data
    assertQueued(scene, both, {
      event: 'contact.updated',
      data: { conversationId, from, userId, username, marketingOptedOut, source: 'preference' },
    })
    const { contact } = await ok(scene.stack.api.get(`/conversations/${conversationId}`))
    assert.equal(contact.marketingOptedOut, marketingOptedOut)
  }
}

/** A number assigned to the socket: its messages go only there, those of the other number to both. */
export async function route(scene: Scene): Promise<void> {
  const { stack, https, socket, socketEndpoint } = scene
  await stack.assignNumber(stack.numbers[0], { endpointId: socketEndpoint.id, forwardCalls: true })
  await write(scene, '15557000103', 'for the socket')
  const alone = await socket.inbox.first('the routed text', textIs('for the socket'))
  await write(scene, '15557000103', 'for everybody', 1)
  await atBoth(scene, 'the text to the other number', textIs('for everybody'))
  assert.equal(https.inbox.all(textIs('for the socket')).length, 0)
  const key = alone.body.data.conversationId
  await eventually('one delivery, delivered', async () => {
    const deliveries = await stack.deliveries({ key })
    assert.deepEqual(
      deliveries.map(({ endpointId }) => endpointId),
      [socketEndpoint.id],
    )
    return deliveries[0]?.state === 'DELIVERED'
  })
}
