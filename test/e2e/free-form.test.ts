// Replies of every kind over two gateways: sent once, as they were asked, within the 24 hours of a message or a call.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { type Json, ok, refused } from './clients.ts'
import { eventually, stepsOf } from './scene.ts'
import { session } from './sdp.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
before(async () => {
  stack = await startStack({ gateways: 2 })
})
after(() => stack?.stop())

const step = stepsOf(() => stack)
const chat = '/messages/chat'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A message of the customer, as the log shows it. */
async function inbound(from: string, text = 'Is it open?'): Promise<Json> {
  const written = { to: stack.numbers[0].number, type: 'text', text }
  const { id } = await ok(stack.sim.post(`/handsets/${from}/messages`, written))
  let found: Json
  await eventually('the message is in the log', async () => {
    const { data } = await ok(stack.api.get(`${chat}?providerMessageId=${encodeURIComponent(id)}`))
    found = data[0]
    return found !== undefined
  })
  return found
}

const send = (body: object) => stack.api.post(chat, body)
const read = (id: string): Promise<Json> => ok(stack.api.get(`${chat}/${id}`))
const inboxOf = async (handset: string): Promise<Json[]> =>
  (await ok(stack.sim.get(`/handsets/${handset}`))).inbox

async function upload(file: File, query = ''): Promise<Response> {
  const body = new FormData()
  body.set('file', file)
  const headers = { authorization: `Bearer ${stack.key}` }
  return fetch(`${stack.gateway(0).origin}/api/v1/media${query}`, { method: 'POST', headers, body })
}

const customer = '15557000002'
const to = `+${customer}`
const hours = 3_600_000

step('a customer who never wrote gets templates only', async () => {
  const told = await send({ to, text: { body: 'Hello?' } })
  assert.equal(told.status, 409, JSON.stringify(told.body))
  assert.equal(told.body.error.code, 'WINDOW_CLOSED')
  assert.match(told.body.error.message, /never written or called/)
})

step('every kind reaches the customer, and its record shows it', async () => {
  const question = await inbound(customer)
  const uploaded = await upload(new File([png], 'dock.png', { type: 'image/png' }))
  assert.equal(uploaded.status, 201)
  const file = (await uploaded.json()) as Json
  assert.deepEqual([file.mimeType, file.fileName, file.sizeBytes], ['image/png', 'dock.png', png.byteLength])
  const interactive = (fields: object) => ({ interactive: { body: 'Keep it?', ...fields } })
  const cases: readonly (readonly [type: string, body: object, text: string])[] = [
    ['TEXT', { text: { body: 'Until 8 pm.' } }, 'Until 8 pm.'],
    ['IMAGE', { media: { kind: 'image', id: file.id, caption: 'The dock' } }, 'The dock'],
    ['LOCATION', { location: { latitude: 38.7, longitude: -9.1, name: 'North Dock' } }, 'North Dock'],
    ['CONTACTS', { contacts: [{ name: 'Ines', phones: [{ phone: '+15557000101' }] }] }, ''],
    ['INTERACTIVE', interactive({ kind: 'buttons', buttons: [{ id: 'y', title: 'Yes' }] }), 'Keep it?'],
    [
      'INTERACTIVE',
      interactive({
        kind: 'list',
        list: { button: 'Open', sections: [{ rows: [{ id: 'a', title: 'A' }] }] },
      }),
      'Keep it?',
    ],
    [
      'INTERACTIVE',
      interactive({ kind: 'link', link: { title: 'Go', url: 'https://example.com' } }),
      'Keep it?',
    ],
    ['INTERACTIVE', interactive({ kind: 'location_request' }), 'Keep it?'],
  ]
  for (const [type, content, text] of cases) {
    const sent = await ok(send({ to, ...content, replyTo: question.id }), 202)
    assert.deepEqual([sent.type, sent.text, sent.status, sent.template], [type, text, 'QUEUED', null])
    assert.equal(sent.details.context.messageId, question.id)
    await eventually(`${type} is delivered`, async () => (await read(sent.id)).status === 'DELIVERED')
    const record = await read(sent.id)
    assert.deepEqual([record.type, record.text, record.details], [sent.type, sent.text, sent.details])
    assert.deepEqual(record.media, sent.media)
    const received = (await inboxOf(customer)).find((item: Json) => item.id === record.providerMessageId)
    assert.ok(received, `${type} is on the handset`)
    if (type !== 'IMAGE') continue
    assert.deepEqual(record.media, {
      mimeType: 'image/png',
      fileName: 'dock.png',
      sizeBytes: png.byteLength,
      sha256: file.sha256,
    })
    const bytes = await fetch(`${stack.gateway(1).origin}/api/v1${chat}/${sent.id}/media`, {
      headers: { authorization: `Bearer ${stack.key}` },
    })
    assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), png)
  }
})

step('an uploaded document has its name on the handset, alone and in the header of a template', async () => {
  const pdf = new File(['%PDF-1.4'], '7.pdf', { type: 'application/pdf' })
  const file = (await (await upload(pdf)).json()) as Json
  const template = { name: 'invoice', language: 'en_US', variables: { 'header.1': file.id, 1: '7' } }
  for (const body of [{ media: { kind: 'document', id: file.id } }, { template }]) {
    const { id } = await ok(send({ to, ...body }), 202)
    await eventually('the document is delivered', async () => (await read(id)).status === 'DELIVERED')
    const { providerMessageId } = await read(id)
    const received = (await inboxOf(customer)).find((item: Json) => item.id === providerMessageId)
    assert.match(JSON.stringify(received?.content), /"filename":"7\.pdf"/)
  }
  const preview = await ok(stack.api.post(`${chat}/preview`, { to, template }))
  assert.deepEqual(preview.invalidVariables, [])
})

step('a reaction is sent, and taken away again', async () => {
  const question = await inbound(customer)
  for (const emoji of ['👍', '']) {
    const sent = await ok(send({ to, reaction: { messageId: question.id, emoji } }), 202)
    assert.equal(sent.type, 'REACTION')
    assert.equal(sent.details.reaction.messageId, question.id)
    assert.equal(sent.details.reaction.removed, emoji === '')
    await eventually('the reaction is sent', async () => (await read(sent.id)).sentAt !== null)
    assert.equal(
      await refused(send({ to, reaction: { messageId: sent.id, emoji: '👍' } }), 422),
      'MESSAGE_NOT_FOUND',
    )
  }
})

step('what is named must be there and fit', async () => {
  const question = await inbound(customer)
  const other = await inbound('15557000012')
  const text = { body: 'Hi' }
  assert.equal(await refused(send({ to, text, replyTo: other.id }), 422), 'MESSAGE_NOT_FOUND')
  assert.equal((await send({ to, text, replyTo: question.id })).status, 202)
  const unknown = { kind: 'image', id: 'med_00000000000000000000000000' }
  assert.equal(await refused(send({ to, media: unknown }), 422), 'MEDIA_NOT_FOUND')
  const { id } = (await (await upload(new File([png], 'a.png', { type: 'image/png' }))).json()) as Json
  assert.equal(await refused(send({ to, media: { kind: 'document', id } }), 422), 'MEDIA_UNSUITABLE')
  const elsewhere = `?from=${encodeURIComponent(stack.numbers[1].number)}`
  const foreign = (await (
    await upload(new File([png], 'a.png', { type: 'image/png' }), elsewhere)
  ).json()) as Json
  assert.equal(await refused(send({ to, media: { kind: 'image', id: foreign.id } }), 422), 'MEDIA_UNSUITABLE')
  await stack.sql`update uploads set expires_at = now() - interval '1 second' where provider_media_id is not null`
  assert.equal(await refused(send({ to, media: { kind: 'image', id } }), 422), 'MEDIA_NOT_FOUND')
})

step('uploads that the provider cannot take are refused, and nothing of them is kept', async () => {
  const codeOf = async (response: Response) => ((await response.json()) as Json).error.code
  const kept = async () => (await stack.sql`select count(*)::int as uploads from uploads`)[0]?.['uploads']
  const before = await kept()
  assert.equal(
    await codeOf(await upload(new File(['x'], 'a.gif', { type: 'image/gif' }))),
    'UNSUPPORTED_MEDIA_TYPE',
  )
  assert.equal(await codeOf(await upload(new File([], 'a.png', { type: 'image/png' }))), 'VALIDATION_ERROR')
  const large = new File([Buffer.alloc(5 * 1024 * 1024 + 1)], 'a.png', { type: 'image/png' })
  assert.equal(await codeOf(await upload(large)), 'PAYLOAD_TOO_LARGE')
  await ok(stack.sim.put('/faults', { api: [{ match: 'media', code: 131053, status: 400, times: 1 }] }))
  const refusedFile = await upload(new File([png], 'a.png', { type: 'image/png' }))
  assert.equal(await codeOf(refusedFile), 'PROVIDER_ERROR')
  await ok(stack.sim.put('/faults', {}))
  assert.equal(await kept(), before)
})

step('a hundred races of one reply at two gateways: one message', async () => {
  await inbound(customer)
  const body = { to, text: { body: 'Only once' }, idempotencyKey: 'reply-once' }
  const told = await Promise.all(Array.from({ length: 100 }, () => send(body)))
  assert.equal(told.filter(({ status }) => status === 202).length, 1)
  assert.equal(told.filter(({ status }) => status === 200).length, 99)
  const ids = new Set(told.map(({ body: { id } }) => id))
  assert.equal(ids.size, 1)
  const [id = ''] = ids
  await eventually('it is delivered', async () => (await read(id)).status === 'DELIVERED')
  const received = (await inboxOf(customer)).filter(({ text }: Json) => text === 'Only once')
  assert.equal(received.length, 1)
  const reordered = { idempotencyKey: 'reply-once', text: { previewUrl: false, body: 'Only once' }, to }
  assert.equal((await send(reordered)).status, 200)
  assert.equal(await refused(send({ ...body, text: { body: 'Another' } }), 409), 'IDEMPOTENCY_KEY_REUSED')
})

step('the window closes after a day; a repeat still gets its message, and a preview is given', async () => {
  const { conversationId } = await inbound(customer)
  const at = new Date(Date.now() - 24 * hours - 1)
  await stack.sql`update conversations set last_inbound_at = ${at} where last_inbound_at is not null`
  const told = await send({ to, text: { body: 'Too late' } })
  const closedAt = new Date(at.getTime() + 24 * hours).toISOString()
  assert.equal(told.body.error.code, 'WINDOW_CLOSED')
  assert.ok(told.body.error.message.includes(closedAt), told.body.error.message)
  assert.equal((await ok(stack.api.get(`/conversations/${conversationId}`))).windowExpiresAt, closedAt)
  const preview = await ok(stack.api.post(`${chat}/preview`, { to, text: { body: 'Too late' } }))
  assert.deepEqual([preview.body, preview.type, preview.windowExpiresAt], ['Too late', 'TEXT', closedAt])
  const repeat = await send({ to, text: { body: 'Only once' }, idempotencyKey: 'reply-once' })
  assert.equal(repeat.status, 200)
})

step('a call of the customer opens it, answered or not; and so does one that they accept', async () => {
  const caller = '15557000023'
  const { wacid } = await ok(stack.sim.post(`/handsets/${caller}/calls`, { to: stack.numbers[0].number }))
  await eventually('the call opens the window', async () => {
    const { data } = await ok(stack.api.get(`/conversations?contact=${caller}`))
    return data[0]?.windowExpiresAt > new Date(Date.now() + 23 * hours).toISOString()
  })
  await ok(stack.sim.post(`/calls/${wacid}/hangup`, {}))
  assert.equal((await send({ to: `+${caller}`, text: { body: 'You called?' } })).status, 202)
  // This handset answers.
  const called = '+15557000021'
  const greeting = { to: called, template: { name: 'hello_world', language: 'en_US' } }
  const { conversationId } = await ok(send(greeting), 202)
  assert.equal(await refused(send({ to: called, text: { body: 'Early' } }), 409), 'WINDOW_CLOSED')
  await ok(stack.api.post(`/conversations/${conversationId}/call`, { session: session('offer') }), 202)
  await eventually('the answered call opens the window', async () => {
    const { windowExpiresAt } = await ok(stack.api.get(`/conversations/${conversationId}`))
    return windowExpiresAt > new Date(Date.now() + 23 * hours).toISOString()
  })
})

step('what the provider refuses in spite of us fails with its code, at once or later', async () => {
  await inbound(customer)
  const fault = { match: 'messages', code: 131047, status: 400, times: 1 }
  await ok(stack.sim.put('/faults', { api: [fault] }))
  const atOnce = await ok(send({ to, text: { body: 'Refused' } }), 202)
  await eventually('it fails', async () => (await read(atOnce.id)).status === 'FAILED')
  assert.equal((await read(atOnce.id)).error.code, '131047')
  await ok(stack.sim.put('/faults', {}))
  // The handset has written to nobody, so the provider fails what it has accepted.
  const { conversationId } = await ok(
    send({ to: '+15557001099', template: { name: 'hello_world', language: 'en_US' } }),
    202,
  )
  await stack.sql`update conversations set last_call_at = now() where last_call_at is null`
  const later = await ok(send({ to: '+15557001099', text: { body: 'Accepted, then refused' } }), 202)
  assert.equal(later.conversationId, conversationId)
  await eventually('it fails', async () => (await read(later.id)).status === 'FAILED')
  assert.equal((await read(later.id)).error.code, '131047')
})

step('a contact who sent STOP gets no reply', async () => {
  await inbound(customer, 'STOP')
  assert.equal(await refused(send({ to, text: { body: 'Bye' } }), 422), 'RECIPIENT_OPTED_OUT')
})
