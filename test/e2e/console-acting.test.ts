// What an agent does in the console reaches contacts like the same request to the API: on real components,
// over two gateways.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { type Json, ok, refused, signIn } from './clients.ts'
import { eventually, stepsOf } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
before(async () => {
  stack = await startStack({ gateways: 2 })
})
after(() => stack?.stop())

const step = stepsOf(() => stack)
const customer = '15557000001'

async function inbound(from: string, fields: object): Promise<Json> {
  const { id } = await ok(
    stack.sim.post(`/handsets/${from}/messages`, { to: stack.numbers[0].number, ...fields }),
  )
  let found: Json
  await eventually('the message is in the log', async () => {
    const { data } = await ok(stack.console.get(`/messages?contact=${from}`))
    found = data.find((one: Json) => one.providerMessageId === id)
    return found !== undefined
  })
  return found
}

const audited = async (action: string): Promise<Json[]> =>
  (await ok(stack.console.get('/audit?limit=200'))).data.filter((row: Json) => row.action === action)

const order = (to: string, idempotencyKey: string) => ({
  to,
  idempotencyKey,
  template: {
    name: 'order_ready',
    language: 'en_US',
    variables: { store: 'North Dock', first_name: 'Ines', order_number: 'A-1' },
  },
})

step(
  'a template message is previewed, sent once under its key, and in the audit without its text',
  async () => {
    const body = order(`+${customer}`, 'click-1')
    const preview = await ok(
      stack.console.post('/messages/preview', { to: body.to, template: body.template }),
    )
    assert.deepEqual(preview.missingVariables, [])
    const sent = await ok(stack.console.post('/messages', body), 202)
    assert.equal(sent.text, preview.text)
    assert.deepEqual(sent.caller, {
      apiKeyId: null,
      apiKeyName: null,
      idempotencyKey: 'click-1',
      campaignId: null,
    })
    const again = await ok(stack.console.post('/messages', body))
    assert.equal(again.id, sent.id)
    const code = await refused(stack.console.post('/messages', order('+15557000002', 'click-1')), 409)
    assert.equal(code, 'IDEMPOTENCY_KEY_REUSED')
    await eventually('it is read', async () => {
      return (await ok(stack.console.get(`/messages/${sent.id}`))).status === 'READ'
    })
    // Who repeats what an API key has sent has not sent it.
    const ofKey = order(`+${customer}`, 'by-key-1')
    const byKey = await ok(stack.api.post('/messages/chat', ofKey), 202)
    assert.equal((await ok(stack.console.post('/messages', ofKey))).id, byKey.id)
    assert.equal((await ok(stack.console.get(`/messages/${byKey.id}`))).sentBy.kind, 'KEY')
    const [row, ...more] = await audited('message.sent')
    assert.deepEqual([row.subjectId, more.length], [sent.id, 0])
    assert.deepEqual(row.after, {
      template: { name: 'order_ready', language: 'en_US' },
      numberId: stack.numbers[0].id,
    })
    assert.equal(row.operator.email, stack.operator.email)
  },
)

step(
  'a customer’s messages are read in their conversation, and marked as read at the customer’s',
  async () => {
    const text = await inbound('15557000131', { type: 'text', text: 'Is it open?' })
    const path = `/conversations/${text.conversationId}`
    assert.equal((await ok(stack.console.get(path))).unreadCount, 1)
    const thread = await ok(stack.console.get(`${path}/messages?limit=1`))
    assert.deepEqual([thread.data.length, thread.data[0].text, thread.nextCursor], [1, 'Is it open?', null])
    assert.deepEqual(await ok(stack.console.post(`${path}/read`)), {
      conversationId: text.conversationId,
      markedRead: 1,
    })
    assert.equal((await ok(stack.console.post(`${path}/read`))).markedRead, 0)
    const [row, ...more] = await audited('conversation.marked_read')
    assert.deepEqual([row.before, row.after, more.length], [{ unread: 1 }, { unread: 0 }, 0])
    const second = await inbound('15557000131', { type: 'text', text: 'Hello?' })
    assert.equal((await ok(stack.console.post(`/messages/${second.id}/read`))).status, 'READ')
    assert.equal((await ok(stack.console.get(path))).unreadCount, 0)
  },
)

step('the file of a message comes with the session, and cannot run as a page', async () => {
  const mediaBase64 = Buffer.from('<script>alert(1)</script>').toString('base64')
  const image = await inbound('15557000132', { type: 'image', mimeType: 'image/png', mediaBase64 })
  const file = await stack.console.get(`/messages/${image.id}/media`)
  await stack.console.get(`/messages/${image.id}/media`)
  assert.deepEqual([file.status, file.body], [200, '<script>alert(1)</script>'])
  assert.equal(file.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment/)
  assert.equal(
    await refused(stack.console.get('/messages/msg_00000000000000000000000000/media'), 404),
    'NOT_FOUND',
  )
  // Twice within an hour is one entry.
  const [entry, ...more] = await audited('media.downloaded')
  assert.deepEqual([entry.subjectId, entry.after.mimeType, more.length], [image.id, 'image/png', 0])
})

step('a picture is uploaded for the header of a template, and sent by the id that came back', async () => {
  const cookie = await signIn(stack.gateway(0).origin, stack.operator)
  const uploadTo = async (route: string, type: string, bytes: Uint8Array<ArrayBuffer>) => {
    const path = `/console/api/workspaces/${stack.workspaceId}${route}`
    const headers = { cookie, 'content-type': type }
    const reply = await fetch(stack.gateway(0).origin + path, { method: 'POST', headers, body: bytes })
    return { status: reply.status, body: (await reply.json()) as Json }
  }
  const png = Uint8Array.from(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  const upload = (type: string, bytes: Uint8Array<ArrayBuffer>, query = '') =>
    uploadTo(`/media?fileName=parcel%20%221%22.png${query}`, type, bytes)
  const sample = await uploadTo('/templates/samples?fileName=sample.png', 'image/png', png)
  assert.equal(sample.status, 201, JSON.stringify(sample.body))
  const { handle, ...toldOfSample } = sample.body
  assert.deepEqual(toldOfSample, { mimeType: 'image/png', fileName: 'sample.png', sizeBytes: png.byteLength })
  const webm = await uploadTo('/templates/samples', 'video/webm', png)
  assert.deepEqual([webm.status, webm.body.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
  const components = [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: [handle] } },
    { type: 'BODY', text: 'Your parcel is here.' },
  ]
  const draft = { name: 'parcel_photo', language: 'en_US', category: 'UTILITY', components }
  const { id: templateId } = await ok(stack.console.post('/templates', draft), 201)
  await eventually('it is approved', async () => {
    return (await ok(stack.console.get(`/templates/${templateId}`))).status === 'APPROVED'
  })
  const numberId = stack.numbers[0].id
  const uploaded = await upload('image/png', png, `&numberId=${numberId}`)
  assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
  const { id, ...told } = uploaded.body
  assert.match(id, /^\d+$/)
  assert.deepEqual(told, { mimeType: 'image/png', fileName: 'parcel "1".png', sizeBytes: png.byteLength })
  const template = { name: 'parcel_photo', language: 'en_US', variables: { 'header.1': id } }
  const sent = await ok(
    stack.console.post('/messages', { to: `+${customer}`, template, numberId, idempotencyKey: 'photo-1' }),
    202,
  )
  await eventually('it is read', async () => {
    return (await ok(stack.console.get(`/messages/${sent.id}`))).status === 'READ'
  })
  const [row] = await audited('media.uploaded')
  assert.deepEqual(row.after, told)

  const text = await upload('text/html', png)
  assert.deepEqual([text.status, text.body.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
  const empty = await upload('image/png', new Uint8Array())
  assert.deepEqual([empty.status, empty.body.error.code], [400, 'VALIDATION_ERROR'])
  // When the provider refuses a file, the answer contains the provider's message.
  const large = await upload('image/png', new Uint8Array(6 * 1024 * 1024))
  assert.deepEqual([large.status, large.body.error.code], [502, 'PROVIDER_ERROR'])
  assert.match(large.body.error.message, /larger than 5242880 bytes.*131053/)
})

step('a ringing call is declined, and says so in the audit', async () => {
  const { wacid } = await ok(stack.sim.post('/handsets/15557000133/calls', { to: stack.numbers[0].number }))
  let call: Json
  await eventually('it rings', async () => {
    const { data } = await ok(stack.console.get('/calls?live=true'))
    call = data.find((one: Json) => one.wacid === wacid && one.status === 'RINGING')
    return call !== undefined
  })
  const declined = await ok(stack.console.post(`/calls/${call.id}/action`, { action: 'DECLINE' }))
  assert.equal(declined.status, 'DECLINED')
  const code = await refused(stack.console.post(`/calls/${call.id}/action`, { action: 'HANG_UP' }), 409)
  assert.equal(code, 'CALL_ENDED')
  const [row, ...more] = await audited('call.declined')
  assert.deepEqual([row.before, row.after, more.length], [{ status: 'RINGING' }, { status: 'DECLINED' }, 0])
})

step('a template is shown while it is written, with its own examples where nothing is given', async () => {
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}', example: { header_text: ['Ines'] } },
    { type: 'BODY', text: 'Order {{1}} of {{2}}', example: { body_text: [['A-1', 'North Dock']] } },
  ]
  const shown = await ok(stack.console.post('/templates/preview', { components, variables: { 2: 'South' } }))
  assert.equal(shown.text, 'Hi Ines\nOrder A-1 of South')
  assert.deepEqual(shown.missingVariables, [])
  assert.deepEqual(
    shown.variables.map(({ name }: Json) => name),
    ['header.1', '1', '2'],
  )
})

step('a reply is sent once under its key, with its file, and is in the audit without its text', async () => {
  const from = '15557000202'
  const { conversationId, id } = await inbound(from, { type: 'text', text: 'Where is it?' })
  const path = `/conversations/${conversationId}/reply`
  const file = await fetch(
    `${stack.gateway(0).origin}/console/api/workspaces/${stack.workspaceId}/conversations/${conversationId}/files?fileName=map.pdf`,
    {
      method: 'POST',
      headers: {
        cookie: await signIn(stack.gateway(0).origin, stack.operator),
        'content-type': 'application/pdf',
      },
      body: '%PDF-1.4 a map',
    },
  )
  assert.equal(file.status, 201)
  const { id: uploaded } = (await file.json()) as Json
  const body = {
    media: { kind: 'document', id: uploaded, caption: 'At the dock' },
    replyTo: id,
    idempotencyKey: 'reply-1',
  }
  const sent = await ok(stack.console.post(path, body), 202)
  assert.deepEqual([sent.type, sent.to, sent.media.fileName], ['DOCUMENT', from, 'map.pdf'])
  assert.equal((await stack.console.post(path, body)).status, 200)
  const [entry] = (await audited('message.sent')).filter(({ after }) => after.type === 'DOCUMENT')
  assert.ok(entry)
  assert.doesNotMatch(JSON.stringify(entry), /At the dock/)
  assert.ok((await audited('media.uploaded')).length > 0)
  const none = { text: { body: 'Hi' }, idempotencyKey: 'none' }
  const unknown = '/conversations/cnv_00000000000000000000000000/reply'
  assert.equal(await refused(stack.console.post(unknown, none), 404), 'NOT_FOUND')
})
