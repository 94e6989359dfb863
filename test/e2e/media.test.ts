import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before } from '../support/harness.ts'
import { type Json, ok, refused } from './clients.ts'
import { arrives, fetchMedia, image, sha256 } from './media-steps.ts'
import { eventually, stepsOf } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
before(async () => {
  stack = await startStack({ gateways: 2 })
})
after(() => stack?.stop())

const step = stepsOf(() => stack)

const requests = async (fits: (request: Json) => boolean): Promise<Json[]> => {
  const { data } = await ok(stack.sim.get('/requests?limit=10000'))
  return data.filter(fits)
}

step('an image comes in by itself, and goes out whole and in parts, at every gateway', async () => {
  const bytes = randomBytes(3_000_000)
  const { id, type, text } = await image(stack, '15557000201', bytes)
  assert.deepEqual([type, text], ['IMAGE', ''])
  await eventually('the record knows its size', async () => {
    const { media } = await ok(stack.api.get(`/messages/chat/${id}`))
    assert.deepEqual([media.mimeType, media.fileName], ['image/png', null])
    if (media.sizeBytes === null) return false
    assert.deepEqual([media.sizeBytes, media.sha256], [bytes.length, sha256(bytes)])
    return true
  })
  for (const gateway of [0, 1]) {
    const whole = await fetchMedia({ stack, gateway }, id)
    assert.equal(whole.status, 200)
    assert.equal(sha256(whole.bytes), sha256(bytes))
    assert.equal(whole.headers.get('content-type'), 'image/png')
    assert.equal(whole.headers.get('content-length'), '3000000')
    assert.equal(whole.headers.get('etag'), `"${sha256(bytes)}"`)
    assert.match(
      String(whole.headers.get('content-disposition')),
      new RegExp(`^attachment; filename="${id}.png"`),
    )
    assert.equal(whole.headers.get('x-content-type-options'), 'nosniff')
    const part = await fetchMedia({ stack, gateway }, id, { range: 'bytes=1000000-1999999' })
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 1000000-1999999/3000000'])
    assert.ok(part.bytes.equals(bytes.subarray(1_000_000, 2_000_000)))
    const etag = String(whole.headers.get('etag'))
    for (const [headers, status, from, length] of [
      [{ range: 'bytes=-10' }, 206, 2_999_990, 10],
      [{ range: 'bytes=2999999-' }, 206, 2_999_999, 1],
      [{ range: 'bytes=0-9', 'if-range': etag }, 206, 0, 10],
      [{ range: 'bytes=0-9', 'if-range': '"another"' }, 200, 0, 3_000_000],
      [{ range: 'bytes=0-9,20-29' }, 200, 0, 3_000_000],
      [{ 'if-none-match': '"another"' }, 200, 0, 3_000_000],
    ] as const) {
      const got = await fetchMedia({ stack, gateway }, id, headers)
      assert.deepEqual([got.status, got.bytes.length], [status, length], JSON.stringify(headers))
      assert.ok(got.bytes.equals(bytes.subarray(from, from + length)))
    }
    const known = await fetchMedia({ stack, gateway }, id, { 'if-none-match': `"${sha256(bytes)}"` })
    assert.deepEqual([known.status, known.bytes.length], [304, 0])
    const beyond = await fetchMedia({ stack, gateway }, id, { range: 'bytes=3000000-' })
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */3000000'])
    assert.equal(JSON.parse(beyond.bytes.toString()).error.code, 'RANGE_NOT_SATISFIABLE')
  }
  assert.equal((await requests(({ path }) => path.includes('media-files'))).length, 1, 'one download in all')
})

step('a client that leaves in the middle leaves the gateway serving', async () => {
  const bytes = randomBytes(5_000_000)
  const { id } = await image(stack, '15557000202', bytes)
  await fetchMedia({ stack }, id)
  for (let index = 0; index < 5; index += 1) {
    const leaving = new AbortController()
    const answer = await fetch(`${stack.gateway(0).origin}/api/v1/messages/chat/${id}/media`, {
      headers: { authorization: `Bearer ${stack.key}` },
      signal: leaving.signal,
    })
    assert.equal(answer.status, 200)
    leaving.abort()
  }
  assert.equal(sha256((await fetchMedia({ stack }, id)).bytes), sha256(bytes))
})

step('without a worker the gateway fetches what it is asked for', async () => {
  await stack.workers[0]?.stop()
  const bytes = randomBytes(10_000)
  const { id } = await arrives(stack, '15557000203', {
    type: 'document',
    mimeType: 'application/pdf',
    fileName: '../Rechnung Nº 5.pdf',
    mediaBase64: bytes.toString('base64'),
  })
  const { status, headers, bytes: got } = await fetchMedia({ stack }, id)
  assert.deepEqual([status, sha256(got)], [200, sha256(bytes)])
  const disposition =
    'attachment; filename="Rechnung N_ 5.pdf"; filename*=UTF-8\'\'Rechnung%20N%C2%BA%205.pdf'
  assert.equal(headers.get('content-disposition'), disposition)
})

step('a provider that does not give the file now gives it to the worker that comes back', async () => {
  await ok(stack.sim.put('/faults', { api: [{ match: 'download', status: 500, code: 131000 }] }))
  const bytes = randomBytes(10_000)
  const { id } = await image(stack, '15557000204', bytes)
  const answer = await stack.api.get(`/messages/chat/${id}/media`)
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'UNAVAILABLE'])
  assert.equal(answer.headers.get('retry-after'), '2')
  await ok(stack.sim.put('/faults', {}))
  await stack.restartWorker(0)
  await eventually('the file is stored', async () => {
    const { media } = await ok(stack.api.get(`/messages/chat/${id}`))
    return media.sizeBytes === bytes.length
  })
})

step('a message without a file has none, and says so', async () => {
  const { id } = await arrives(stack, '15557000205', { type: 'text', text: 'no file' })
  assert.equal(await refused(stack.api.get(`/messages/chat/${id}/media`), 404), 'NOT_FOUND')
})

step('an erased contact is gone with the file, and an export before it has both', async () => {
  const bytes = randomBytes(10_000)
  const from = '15557000207'
  const { id } = await image(stack, from, bytes)
  await fetchMedia({ stack }, id)
  const done = async (path: string) => {
    let job = await ok(stack.api.post(path), 202)
    await eventually('the job is done', async () => {
      job = await ok(stack.api.get(`${path.replace(/.*\//, '/')}/${job.id}`))
      return job.status === 'COMPLETED'
    })
    return job
  }
  const exported = await done(`/contacts/${from}/exports`)
  const headers = { authorization: `Bearer ${stack.key}` }
  const file = `${stack.gateway(0).origin}/api/v1/exports/${exported.id}/file`
  const archive = Buffer.from(await (await fetch(file, { headers })).arrayBuffer())
  assert.deepEqual([sha256(archive), archive.includes(bytes)], [exported.sha256, true])
  const erased = await done(`/contacts/${from}/erasures`)
  assert.deepEqual([erased.contact, erased.counts.messages, erased.counts.files > 0], [null, 1, true])
  assert.equal(await refused(stack.api.get(`/messages/chat/${id}`), 404), 'NOT_FOUND')
  assert.equal((await fetch(file, { headers })).status, 409)
  assert.deepEqual((await ok(stack.api.get(`/conversations?contact=%2B${from}`))).data, [])
  const { conversationId } = await arrives(stack, from, { type: 'text', text: 'me again' })
  const { data } = await ok(stack.api.get(`/conversations?contact=%2B${from}`))
  assert.deepEqual(
    data.map((one: Json) => [one.id, one.lastMessage.text]),
    [[conversationId, 'me again']],
  )
})

step('reading a conversation is one request to the provider, on the newest message', async () => {
  const from = '15557000206'
  await arrives(stack, from, { type: 'text', text: 'one' })
  const newest = await arrives(stack, from, { type: 'text', text: 'two' })
  const { conversationId } = newest
  const unread = async () => {
    const { data } = await ok(stack.api.get(`/conversations?contact=%2B${from}`))
    return data.map((one: Json) => [one.id, one.unreadCount, one.lastMessage.text])
  }
  assert.deepEqual(await unread(), [[conversationId, 2, 'two']])
  for (const markedRead of [2, 0])
    assert.deepEqual(await ok(stack.api.post(`/conversations/${conversationId}/read`)), {
      conversationId,
      markedRead,
    })
  assert.deepEqual(await unread(), [[conversationId, 0, 'two']])
  const read = await ok(stack.api.post(`/messages/chat/${newest.id}/read`, {}))
  assert.equal(read.status, 'READ')
  const reads = () => requests(({ body }) => body?.message_id === newest.providerMessageId)
  assert.deepEqual(
    (await reads()).map(({ body }) => body),
    [{ messaging_product: 'whatsapp', status: 'read', message_id: newest.providerMessageId }],
  )
  assert.deepEqual(await ok(stack.api.post(`/conversations/${conversationId}/typing`), 202), {
    conversationId,
    markedRead: 0,
  })
  assert.deepEqual((await reads())[1]?.body.typing_indicator, { type: 'text' })
})
