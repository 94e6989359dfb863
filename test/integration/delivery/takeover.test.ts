import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReplayStore } from '../../../src/delivery/store/deliveries-replay.store.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, type TestContext, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, emitEvent } from '../../support/rows.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import { Engine, endpointAt, receiver } from './engine.ts'

const sql = testPool(await testDatabase())

interface Event {
  readonly key: string
  readonly number: number
}

/** Two nodes, and a receiver that takes 10 ms for each event and refuses every seventh. */
async function setUp(t: TestContext) {
  const { workspaceId } = await addTenant(sql)
  const arrived: Event[] = []
  const url = await receiver(t, (_path, body, response) => {
    arrived.push(JSON.parse(body))
    setTimeout(() => response.writeHead(arrived.length % 7 === 0 ? 500 : 200).end(), 10)
  })
  const endpointId = await endpointAt(sql, workspaceId, `${url}/events`)
  const engine = new Engine(sql)
  const nodes = [engine.join(), engine.join()] as const
  t.after(() => engine.close())
  const keys = Array.from({ length: 4 }, () => newId('conversation'))
  let count = 0
  const emit = async (events: number) => {
    for (let left = events; left > 0; left -= 1) {
      const event = { key: keys[count % keys.length] ?? '', number: count }
      count += 1
      nodes[1].dispatch(await emitEvent(sql, workspaceId, { key: event.key, body: JSON.stringify(event) }))
    }
  }
  const firstsOf = (key: string) => [
    ...new Set(arrived.filter((one) => one.key === key).map(({ number }) => number)),
  ]
  return { engine, nodes, endpointId, arrived, keys, emit, firstsOf, emitted: () => count }
}

const numbers = (emitted: number, offset: number) =>
  Array.from({ length: Math.ceil((emitted - offset) / 4) }, (_, n) => n * 4 + offset)

describe('first attempts of a conversation, while its endpoint changes hands', () => {
  for (const way of ['dies', 'leaves'] as const) {
    test(`start in order when the owner ${way} with a backlog, and none is lost`, async (t) => {
      const { engine, nodes, endpointId, keys, emit, firstsOf, emitted } = await setUp(t)
      await emit(40)
      await eventually(() => nodes[0].directory.has(endpointId))
      if (way === 'dies') engine.kill(0)
      const left = way === 'leaves' ? engine.leave(0) : undefined
      await emit(200)
      await left
      await eventually(async () => {
        await engine.sweep()
        return new Set(keys.flatMap(firstsOf)).size === emitted()
      }, 30_000)
      for (const [offset, key] of keys.entries()) assert.deepEqual(firstsOf(key), numbers(emitted(), offset))
      assert.equal(nodes[1].directory.has(endpointId), true)
    })
  }

  test('wait in the store behind those that were there before, when more come than memory holds', async (t) => {
    const { workspaceId } = await addTenant(sql)
    const arrived: number[] = []
    const url = await receiver(t, (_path, body, response) => {
      arrived.push(JSON.parse(body).number)
      response.writeHead(200).end()
    })
    await endpointAt(sql, workspaceId, url)
    const engine = new Engine(sql, { WEBHOOK_BACKLOG_BYTES: '65536' })
    const node = engine.join()
    t.after(() => engine.close())
    const key = newId('conversation')
    const padding = 'x'.repeat(2_000)
    let most = 0
    for (let number = 0; number < 150; number += 1) {
      node.dispatch(await emitEvent(sql, workspaceId, { key, body: JSON.stringify({ number, padding }) }))
      most = Math.max(most, node.backlogBytes())
    }
    await eventually(async () => {
      await engine.sweep()
      await sleep(50)
      return new Set(arrived).size === 150
    }, 30_000)
    // An attempt whose answer came too late is made again.
    assert.deepEqual(
      [...new Set(arrived)],
      Array.from({ length: 150 }, (_, number) => number),
    )
    assert.ok(most <= 65_536 + 3 * 2_100, `${most}`)
    // The receiver has the last one a moment before its sender has the answer.
    await eventually(() => node.backlogBytes() === 0)
  })

  test('a replay that nobody hands over is found by the sweep, also while its last attempt is being recorded', async (t) => {
    const { workspaceId } = await addTenant(sql)
    const arrived: string[] = []
    const url = await receiver(t, (_path, body, response) => {
      arrived.push(body)
      response.writeHead(200).end()
    })
    const endpointId = await endpointAt(sql, workspaceId, url)
    const engine = new Engine(sql)
    const node = engine.join()
    t.after(() => engine.close())
    const [written] = await emitEvent(sql, workspaceId)
    node.dispatch([written ?? assert.fail()])
    const replays = createReplayStore(sql)
    const author = { workspaceId, operatorId: null as never, ip: '::1' }
    for (let asked = 1; asked <= 3; asked += 1) {
      await eventually(
        async () => (await replays.replay(author, written?.deliveryId as never)).type === 'replayed',
      )
      await eventually(async () => {
        await engine.sweep()
        return arrived.length === 1 + asked
      })
    }
    assert.equal(node.directory.has(endpointId), true)
  })
})
