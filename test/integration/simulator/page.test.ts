import assert from 'node:assert/strict'
import type { LiveFrame } from '../../../src/simulator/views.ts'
import { after, afterEach, before, describe, test } from '../../support/harness.ts'
import { NUMBER, NUMBER_ID, type Rig, startRig, templateTo, wamidOf } from './harness.ts'
import type { Loose } from './receiver.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
afterEach(() => rig.control('POST', 'reset'))
after(() => rig.close())

const say = async (waId: string, body: Loose = { type: 'text', text: 'hi' }): Promise<string> =>
  String((await rig.control('POST', `handsets/${waId}/messages`, { to: NUMBER, ...body })).body['id'])

describe('the page', () => {
  test('is served under a strict policy, with files that are kept for ever', async () => {
    const page = await fetch(`${rig.url}/`)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /^default-src 'self'; .*object-src 'none'$/,
    )
    const html = await page.text()
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/)
    const icon = await fetch(`${rig.url}/favicon.ico`)
    assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/x-icon'])
    const names = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1])
    assert.ok(names.length >= 3)
    for (const name of names) {
      const file = await fetch(rig.url + name)
      assert.equal(file.status, 200, name)
      assert.match(file.headers.get('cache-control') ?? '', /immutable/)
    }
    const etag = page.headers.get('etag') ?? ''
    assert.equal((await fetch(`${rig.url}/`, { headers: { 'if-none-match': etag } })).status, 304)
    const head = await fetch(`${rig.url}/`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    assert.equal((await fetch(`${rig.url}/assets/main-ABCDEFGH.js`)).status, 404)
    assert.equal((await fetch(`${rig.url}/`, { method: 'POST' })).status, 404)
  })
})

/** Collects the frames of one stream, merged as the page merges them. */
async function watch(waIds: string) {
  const stop = new AbortController()
  const answer = await fetch(`${rig.url}/sim/live?handsets=${waIds}`, { signal: stop.signal })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  const frames: LiveFrame[] = []
  let wake = () => {}
  const reading = (async () => {
    let rest = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts)
        if (part.startsWith('data: ')) frames.push(JSON.parse(part.slice(6)) as LiveFrame)
      wake()
    }
  })().catch(() => wake())
  return {
    frames,
    async until(fits: (frame: LiveFrame) => boolean): Promise<LiveFrame> {
      for (;;) {
        const found = frames.find(fits)
        if (found !== undefined) return found
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        assert.ok(!stop.signal.aborted)
      }
    },
    async close() {
      stop.abort()
      await reading
    },
  }
}

describe('the stream', () => {
  test('begins with everything, goes on with what changes, and begins anew after a reset', async () => {
    const stream = await watch('15551230400,15551230401')
    const first = await stream.until(({ isSnapshot }) => isSnapshot === true)
    assert.deepEqual(Object.keys(first.handsets ?? {}), ['15551230400', '15551230401'])
    assert.equal(first.numbers?.[0]?.digits, NUMBER)
    assert.deepEqual(first.webhookUrls, [rig.receiver.url])
    assert.deepEqual(first.faults?.api, [])

    const id = wamidOf(await rig.provider('messages', templateTo('15551230400')))
    const delivered = await stream.until(
      ({ handsets }) => handsets?.['15551230400']?.inbox[0]?.status === 'delivered',
    )
    assert.deepEqual(Object.keys(delivered.handsets ?? {}), ['15551230400'])
    const { requests } = await stream.until((frame) => frame.requests !== undefined)
    assert.deepEqual(requests?.[0] && { ...requests[0], at: '', durationMs: 0 }, {
      ...{ seq: requests?.[0]?.seq, at: '', method: 'POST', durationMs: 0, status: 200 },
      path: `/v24.0/${NUMBER_ID}/messages`,
    })
    await stream.until(
      ({ webhooks }) =>
        webhooks?.some(({ kinds, outcome }) => kinds[0] === 'status.sent' && outcome === 'delivered') ===
        true,
    )
    assert.ok(stream.frames.filter(({ isSnapshot }) => isSnapshot).length === 1)

    await rig.control('POST', 'reset')
    const again = await stream.until((frame) => frame !== first && frame.isSnapshot === true)
    assert.deepEqual(again.handsets?.['15551230400']?.inbox, [])
    assert.doesNotMatch(JSON.stringify(again), new RegExp(id.slice(-12, -2).replace(/[+/]/g, '.')))
    await stream.close()
  })

  test('is for 32 pages at once and twelve handsets each', async () => {
    const many = Array.from({ length: 20 }, (_, index) => 15551230500 + index).join(',')
    const streams = await Promise.all(Array.from({ length: 32 }, () => watch(many)))
    const frame = await streams[0]?.until(({ isSnapshot }) => isSnapshot === true)
    assert.equal(Object.keys(frame?.handsets ?? {}).length, 12)
    const refused = await fetch(`${rig.url}/sim/live`)
    assert.equal(refused.status, 503)
    await refused.text()
    await Promise.all(streams.map((stream) => stream.close()))
    // The server notices the closing a moment later.
    for (;;) {
      const answer = await fetch(`${rig.url}/sim/live`)
      await answer.body?.cancel()
      if (answer.status === 200) break
    }
  })
})

describe('for the page, the control API', () => {
  test('shows one request with its answer, and one webhook with its body', async () => {
    await rig.provider('messages', templateTo('15551230410'))
    const { body: list } = await rig.control('GET', 'requests')
    const [{ seq } = { seq: 0 }] = list['data'] as { seq: number }[]
    const { body: request } = await rig.control('GET', `requests/${seq}`)
    assert.match(JSON.stringify(request['body']), /15551230410/)
    assert.match(JSON.stringify(request['answer']), /wamid\./)

    const id = await say('15551230410')
    const { body: journal } = await rig.control('GET', 'webhooks')
    const entry = (journal['data'] as { seq: number; refs: string[] }[]).find(({ refs }) => refs.includes(id))
    const { body: webhook } = await rig.control('GET', `webhooks/${entry?.seq}`)
    assert.match(JSON.stringify(webhook['body']), /"body":"hi"/)
    for (const path of ['requests/0', `requests/${seq + 1000}`, 'webhooks/x', 'webhooks/1.5'])
      assert.equal((await rig.control('GET', path)).status, 404, path)
  })

  test('says which faults are in force, how often they hit and how often they still will', async () => {
    const rules = [
      { match: 'messages', code: 131000, times: 2 },
      { match: 'calls', hang: true },
    ]
    await rig.control('PUT', 'faults', { api: rules, webhooks: { repeat: 1 } })
    await rig.provider('messages', templateTo('15551230420'))
    const { body } = await rig.control('GET', 'faults')
    assert.deepEqual(body['api'], [
      { match: 'messages', code: 131000, times: 1, hits: 1 },
      { match: 'calls', hang: true, hits: 0 },
    ])
    assert.equal((body['webhooks'] as Loose)['repeat'], 1)
    await rig.provider('messages', templateTo('15551230420'))
    assert.equal(((await rig.control('GET', 'faults')).body['api'] as unknown[]).length, 1)
  })

  test('reads all that has arrived from one number, and nothing else', async () => {
    const send = (numberId: string) =>
      rig.request('POST', `/v24.0/${numberId}/messages`, templateTo('15551230430'))
    const [first, second, other] = [
      wamidOf(await send(NUMBER_ID)),
      wamidOf(await send(NUMBER_ID)),
      wamidOf(await send('106540352242923')),
    ]
    for (const id of [first, second, other]) await rig.expect('status', { id, status: 'delivered' })
    const { body } = await rig.control('POST', 'handsets/15551230430/read', { allFrom: NUMBER })
    assert.deepEqual(body, { ids: [first, second] })
    const again = await rig.control('POST', 'handsets/15551230430/read', { allFrom: NUMBER })
    assert.deepEqual(again.body, { ids: [] })
    for (const id of [first, second]) await rig.expect('status', { id, status: 'read' })
    const { body: handset } = await rig.control('GET', 'handsets/15551230430')
    assert.deepEqual(
      (handset['inbox'] as { status: string }[]).map(({ status }) => status),
      ['read', 'read', 'delivered'],
    )
  })

  test('gives a picture that a handset sent, and what a reaction is to', async () => {
    const bytes = Buffer.from('<script>alert(1)</script>')
    const picture = { type: 'image', mimeType: 'text/html', mediaBase64: bytes.toString('base64') }
    await say('15551230440', picture)
    await say('15551230440', { type: 'reaction', replyTo: 'wamid.OUT', text: '👍' })
    const { body } = await rig.control('GET', 'handsets/15551230440')
    const [image, reaction] = body['outbox'] as { mediaId: string | null; replyTo: string | null }[]
    assert.deepEqual([reaction?.replyTo, reaction?.mediaId, image?.replyTo], ['wamid.OUT', null, null])
    const file = await fetch(`${rig.url}/sim/media/${image?.mediaId}`)
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes)
    assert.deepEqual(
      ['content-security-policy', 'x-content-type-options'].map((name) => file.headers.get(name)),
      ['sandbox', 'nosniff'],
    )
    assert.equal((await rig.control('GET', 'media/1')).status, 404)
  })

  test('leaves a question for permission to the user, but for handsets that end in 0025', async () => {
    const waId = '15551230450'
    await rig.control('POST', `handsets/${waId}/permission`, { to: NUMBER, response: 'reject' })
    const ask = templateTo(waId, { template: { name: 'call_permission', language: { code: 'en_US' } } })
    const granting = templateTo('15551230025', {
      template: { name: 'call_permission', language: { code: 'en_US' } },
    })
    const id = wamidOf(await rig.provider('messages', ask))
    await rig.provider('messages', granting)
    await rig.expect('message', { from: '15551230025', type: 'interactive' })
    const { body } = await rig.control('GET', `handsets/${waId}`)
    const [item] = body['inbox'] as { id: string; asksPermission: boolean }[]
    assert.deepEqual([item?.id, item?.asksPermission], [id, true])
    assert.equal(rig.matching('message', { from: waId, type: 'interactive' }).length, 1)
    assert.equal(JSON.stringify(body['permissions']).includes('"no_permission"'), true)
  })
})
