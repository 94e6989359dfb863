import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from '../../support/harness.ts'
import { codeOf, NUMBER, NUMBER_ID, type Rig, startRig, templateTo, wamidOf } from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
afterEach(async () => {
  rig.receiver.state.status = 200
  await rig.control('POST', 'reset')
})
after(() => rig.close())

const fault = (body: object) => rig.control('PUT', 'faults', body)

const say = async (waId: string): Promise<string> => {
  const { body } = await rig.control('POST', `handsets/${waId}/messages`, {
    to: NUMBER,
    type: 'text',
    text: 'hi',
  })
  return String(body['id'])
}

const bodiesWith = (id: string): string[] => {
  const escaped = JSON.stringify(id).slice(1, -1).replaceAll('/', '\\/')
  return rig.receiver.bodies.filter((body) => body.includes(escaped))
}

type Entry = { refs: string[]; outcome: string; attemptCount: number; attempts: { status?: number }[] }

const journalOf = async (id: string): Promise<Entry[]> => {
  const { body } = await rig.control('GET', 'webhooks?since=0&limit=10000')
  return (body['data'] as Entry[]).filter((entry) => entry.refs.includes(id))
}

describe('webhooks that are not answered 200', () => {
  test('come again with the same bytes until they are', async () => {
    rig.receiver.state.status = 500
    const id = await say('15551230300')
    await rig.expect('message', { id }, 2)
    rig.receiver.state.status = 200
    await rig.expect('message', { id }, 3)
    const bodies = bodiesWith(id)
    assert.equal(new Set(bodies).size, 1)
    assert.deepEqual(rig.receiver.forged, [])
    const [entry] = await journalOf(id)
    assert.deepEqual(
      entry?.attempts.slice(0, 2).map(({ status }) => status),
      [500, 500],
    )
  })

  test('204 is not good enough', async () => {
    rig.receiver.state.status = 204
    const id = await say('15551230301')
    assert.ok((await rig.expect('message', { id }, 2)).length >= 2)
  })

  test('an address that is taken away is tried again at the one that replaces it', async () => {
    await rig.control('PUT', 'config', { webhookUrls: ['http://127.0.0.1:1/nobody'] })
    const id = await say('15551230302')
    await rig.control('PUT', 'config', { webhookUrls: [rig.receiver.url] })
    await rig.expect('message', { id })
  })

  test('several addresses are used in turn', async () => {
    const [first, second] = [`${rig.receiver.url}/a`, `${rig.receiver.url}/b`]
    await rig.control('PUT', 'config', { webhookUrls: [first, second] })
    const ids = [await say('15551230303'), await say('15551230303')]
    for (const id of ids) await rig.expect('message', { id })
    const { body } = await rig.control('GET', 'webhooks')
    const urls = (body['data'] as { attempts: { url: string }[] }[]).map((entry) => entry.attempts[0]?.url)
    assert.deepEqual(new Set(urls), new Set([first, second]))
    await rig.control('PUT', 'config', { webhookUrls: [rig.receiver.url] })
  })
})

describe('faults of webhooks', () => {
  test('repeat sends the same POST again', async () => {
    await fault({ webhooks: { repeat: 2 } })
    const id = await say('15551230310')
    await rig.expect('message', { id }, 3)
    assert.equal(new Set(bodiesWith(id)).size, 1)
  })

  test('failFirst takes a 200 for no answer', async () => {
    await fault({ webhooks: { failFirst: 1 } })
    const id = await say('15551230311')
    await rig.expect('message', { id }, 2)
  })

  test('silent sends nothing of the named kinds and everything else', async () => {
    await fault({ webhooks: { silent: true, only: ['status.sent'] } })
    const id = wamidOf(await rig.provider('messages', templateTo('15551230312')))
    await rig.expect('status', { id, status: 'delivered' })
    assert.equal(rig.matching('status', { id, status: 'sent' }).length, 0)
    assert.deepEqual((await journalOf(id)).map(({ outcome }) => outcome).sort(), ['delivered', 'silent'])
  })

  test('batch puts several updates into one POST', async () => {
    await fault({ webhooks: { batch: 50 } })
    const load = { kind: 'texts', to: NUMBER, from: '15557770000', rate: 2000, seconds: 0.1 }
    const { body } = await rig.control('POST', 'load', load)
    const sizes = new Map<number, number>()
    for (const { id } of body['items'] as { id: string }[]) {
      const [seen] = await rig.expect('message', { id })
      if (seen !== undefined) sizes.set(seen.post, (sizes.get(seen.post) ?? 0) + 1)
    }
    assert.equal(Math.max(...sizes.values()), 50)
  })
})

describe('faults of the API', () => {
  test('a status and a code are answered as often as told', async () => {
    await fault({ api: [{ match: 'messages', times: 1, status: 503, code: 2 }] })
    const refused = await rig.provider('messages', templateTo('15551230320'))
    assert.deepEqual([refused.status, codeOf(refused)], [503, 2])
    assert.equal((await rig.provider('messages', templateTo('15551230320'))).status, 200)
  })

  test('a connection cut before has no effect, one cut after has it', async () => {
    for (const [when, inbox] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      await fault({ api: [{ match: 'messages', times: 1, dropConnection: when }] })
      await assert.rejects(rig.provider('messages', templateTo('15551230321')))
      const { body } = await rig.control('GET', 'handsets/15551230321')
      assert.equal((body['inbox'] as unknown[]).length, inbox, when)
    }
  })

  test('a request that hangs is never answered', async () => {
    await fault({ api: [{ match: 'messages', times: 1, hang: true }] })
    const path = `${rig.url}/v24.0/${NUMBER_ID}/messages`
    // Long enough for any answer, which takes milliseconds on loopback.
    const signal = AbortSignal.timeout(500)
    await assert.rejects(fetch(path, { method: 'POST', signal, body: '{}' }), { name: 'TimeoutError' })
  })
})

describe('the log of requests', () => {
  test('holds what the gateway sent and what it was answered, after a sequence number', async () => {
    await rig.provider('messages', templateTo('15551230330'))
    const { body: first } = await rig.control('GET', 'requests?since=0&limit=10000')
    await rig.provider('messages', templateTo('15551230006'))
    const { body: second } = await rig.control('GET', `requests?since=${first['next']}`)
    const [entry, ...others] = second['data'] as Record<string, unknown>[]
    assert.deepEqual(others, [])
    assert.deepEqual(
      [entry?.['method'], entry?.['path'], entry?.['status'], entry?.['seq']],
      ['POST', `/v24.0/${NUMBER_ID}/messages`, 429, second['next']],
    )
    assert.deepEqual(entry?.['body'], templateTo('15551230006'))
    assert.ok(BigInt(String(entry?.['atNs'])) <= process.hrtime.bigint())
  })

  test('a reset forgets handsets, requests and faults', async () => {
    await fault({ api: [{ match: '*', code: 2 }] })
    await say('15551230331')
    await rig.control('POST', 'reset')
    assert.deepEqual((await rig.control('GET', 'requests')).body['data'], [])
    assert.deepEqual((await rig.control('GET', 'handsets/15551230331')).body['outbox'], [])
    assert.equal((await rig.provider('messages', templateTo('15551230331'))).status, 200)
  })
})
