import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import { NUMBER, type Rig, sdpOf, startRig } from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

type Item = { id: string; scheduledNs: string }
type Entry = { refs: string[]; scheduledNs: string | null; sentNs: string }

const load = async (body: object): Promise<Item[]> => {
  const reply = await rig.control('POST', 'load', {
    to: NUMBER,
    from: '15557770000',
    rate: 50,
    seconds: 0.4,
    ...body,
  })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body['items'] as Item[]
}

describe('load runs', () => {
  test('texts leave at their planned times, which the journal of webhooks repeats', async () => {
    const items = await load({ kind: 'texts', handsets: 4 })
    assert.equal(items.length, 20)
    for (const { id } of items) await rig.expect('message', { id })
    const { body } = await rig.control('GET', 'webhooks?limit=10000')
    const entries = new Map((body['data'] as Entry[]).map((entry) => [entry.refs[0], entry]))
    for (const [index, { id, scheduledNs }] of items.entries()) {
      const entry = entries.get(id)
      assert.equal(entry?.scheduledNs, scheduledNs)
      assert.ok(BigInt(entry?.sentNs ?? 0) >= BigInt(scheduledNs))
      assert.equal(BigInt(scheduledNs) - BigInt(items[0]?.scheduledNs ?? 0), BigInt(index) * 20_000_000n)
    }
    const senders = new Set(items.map(({ id }) => rig.matching('message', { id })[0]?.update['from']))
    assert.deepEqual([...senders].sort(), ['15557770000', '15557770001', '15557770002', '15557770003'])
  })

  test('calls carry offers of their own and end when told to', async () => {
    const items = await load({ kind: 'calls', handsets: 20, hangUpAfterMs: 200 })
    const offers = new Set<string>()
    for (const { id } of items) {
      const [connect] = await rig.expect('call', { id, event: 'connect' })
      if (connect !== undefined) offers.add(sdpOf(connect))
      await rig.expect('call', { id, event: 'terminate' })
    }
    assert.equal(offers.size, 20)
  })

  test('a run beyond the limit is refused', async () => {
    const body = { kind: 'texts', to: NUMBER, from: '15557770000', rate: 10_000, seconds: 3600 }
    assert.equal((await rig.control('POST', 'load', body)).status, 400)
  })
})
