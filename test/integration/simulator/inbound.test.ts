import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from '../../support/harness.ts'
import { codeOf, NUMBER, NUMBER_ID, type Rig, startRig } from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const write = async (waId: string, body: object): Promise<string> => {
  const reply = await rig.control('POST', `handsets/${waId}/messages`, { to: `+${NUMBER}`, ...body })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return String(reply.body['id'])
}

describe('what handsets write', () => {
  test('a text arrives with its sender, escaped and signed', async () => {
    const id = await write('15551230100', { type: 'text', text: 'café 1/2', name: 'Zoë' })
    const [seen] = await rig.expect('message', { id })
    assert.equal(seen?.update['from'], '15551230100')
    assert.deepEqual(seen?.update['text'], { body: 'café 1/2' })
    const ids = { wa_id: '15551230100', user_id: seen?.update['from_user_id'] }
    assert.deepEqual(seen?.value['contacts'], [{ profile: { name: 'Zoë' }, ...ids }])
    const raw = rig.receiver.bodies[(seen?.post ?? 1) - 1] ?? ''
    assert.ok(raw.includes('caf\\u00e9 1\\/2') && raw.includes('Zo\\u00eb'))
    assert.deepEqual(rig.receiver.forged, [])
  })

  test('a document can be fetched with the token while its address is fresh', async () => {
    const bytes = Buffer.from('%PDF-1.4 invoice')
    const id = await write('15551230101', {
      type: 'document',
      caption: 'invoice',
      fileName: 'invoice-7.pdf',
      mimeType: 'application/pdf',
      mediaBase64: bytes.toString('base64'),
    })
    const [seen] = await rig.expect('message', { id })
    const document = seen?.update['document'] as Record<string, string>
    assert.equal(document['filename'], 'invoice-7.pdf')
    assert.equal(document['sha256'], createHash('sha256').update(bytes).digest('base64'))
    const { body: file } = await rig.request('GET', `/v24.0/${document['id']}`)
    const url = String(file['url'])
    const authorization = `Bearer ${rig.token}`
    const download = await fetch(url, { headers: { authorization } })
    assert.equal(download.headers.get('content-type'), 'application/pdf')
    assert.deepEqual(Buffer.from(await download.arrayBuffer()), bytes)
    assert.equal((await fetch(url)).status, 401)
    const expired = url.replace(/ext=\d+/, 'ext=1')
    assert.equal((await fetch(expired, { headers: { authorization } })).status, 404)
  })

  test('a download can be told to fail', async () => {
    const id = await write('15551230104', { type: 'image' })
    const [seen] = await rig.expect('message', { id })
    assert.ok(seen)
    const { url } = seen.update['image'] as { url: string }
    await rig.control('PUT', 'faults', { api: [{ match: 'download', times: 1, status: 500, code: 1 }] })
    const headers = { authorization: `Bearer ${rig.token}` }
    assert.deepEqual(
      [(await fetch(url, { headers })).status, (await fetch(url, { headers })).status],
      [500, 200],
    )
  })

  test('an upload is stored, served and deleted', async () => {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('file', new Blob(['png bytes'], { type: 'image/png' }), 'a.png')
    const authorization = `Bearer ${rig.token}`
    const upload = `${rig.url}/v24.0/${NUMBER_ID}/media`
    const answer = await fetch(upload, { method: 'POST', headers: { authorization }, body: form })
    const { id } = (await answer.json()) as { id: string }
    const { body } = await rig.request('GET', `/v24.0/${id}`)
    assert.deepEqual([body['mime_type'], body['file_size']], ['image/png', 9])
    assert.equal((await rig.request('DELETE', `/v24.0/${id}`)).status, 200)
    assert.equal(codeOf(await rig.request('GET', `/v24.0/${id}`)), 100)
  })

  test('every type carries its content under its own key', async () => {
    const types: [type: string, extra: object][] = [
      ['image', { caption: 'the box' }],
      ['audio', { voice: true }],
      ['video', {}],
      ['sticker', {}],
      ['location', { content: { latitude: 37.4, longitude: -122.1 } }],
      ['contacts', { content: [{ name: { formatted_name: 'Lu Gomez' } }] }],
      ['reaction', { text: '👍', replyTo: 'wamid.OUT' }],
      ['button', { text: 'Stop promotions', replyTo: 'wamid.OUT' }],
      ['interactive', { content: { type: 'button_reply', button_reply: { id: 'keep', title: 'Keep' } } }],
      ['order', { content: { catalog_id: '1', product_items: [] } }],
      ['system', { content: { type: 'user_changed_number', wa_id: '15557778888' } }],
      ['edit', { content: { original_message_id: 'wamid.IN' } }],
      ['revoke', { content: { original_message_id: 'wamid.IN' } }],
      ['unsupported', { content: { type: 'poll_creation' } }],
    ]
    for (const [type, extra] of types) {
      const id = await write('15551230102', { type, ...extra })
      const [seen] = await rig.expect('message', { id })
      assert.equal(seen?.update['type'], type)
      assert.equal(typeof seen?.update[type], 'object', type)
      assert.equal('contacts' in (seen?.value ?? {}), type !== 'system', type)
      if (type === 'reaction')
        assert.deepEqual(seen?.update['reaction'], { message_id: 'wamid.OUT', emoji: '👍' })
      if (type === 'button') assert.deepEqual(seen?.update['context'], { from: NUMBER, id: 'wamid.OUT' })
      if (type === 'unsupported') assert.match(JSON.stringify(seen?.update['errors']), /131051/)
    }
  })

  test('marking a message as read marks the earlier ones too, and an unknown one is 131009', async () => {
    await write('15551230103', { type: 'text', text: 'one' })
    const second = await write('15551230103', { type: 'text', text: 'two' })
    await write('15551230103', { type: 'text', text: 'three' })
    const mark = { messaging_product: 'whatsapp', status: 'read', message_id: second }
    const reply = await rig.provider('messages', { ...mark, typing_indicator: { type: 'text' } })
    assert.deepEqual(reply.body, { success: true })
    const { body } = await rig.control('GET', 'handsets/15551230103')
    const outbox = body['outbox'] as { readByBusiness: boolean; typingUntil: string | null }[]
    assert.deepEqual(
      outbox.map(({ readByBusiness }) => readByBusiness),
      [true, true, false],
    )
    assert.deepEqual(
      outbox.map(({ typingUntil }) => typingUntil !== null),
      [false, true, false],
    )
    assert.equal(codeOf(await rig.provider('messages', { ...mark, message_id: 'wamid.NONE' })), 131009)
  })
})
