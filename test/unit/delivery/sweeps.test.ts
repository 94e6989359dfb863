// What a worker does for deliveries, over a store that is a list.
import assert from 'node:assert/strict'
import { createSweep, retry, type SweepPorts } from '../../../src/delivery/host/sweep-deliveries.ts'
import { type EndpointId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { item } from './endpoint-driver.ts'

const most = 200

function world(overdue: readonly EndpointId[], leftMs = 0) {
  const told: string[] = []
  const clock = new SimulatedClock()
  const ports: SweepPorts = {
    deliveries: {
      overdueEndpoints: async (after, limit) =>
        overdue.filter((id) => after === null || id > after).slice(0, limit),
      holdForDisabled: async () => 0,
      dueRetry: async () => ({ item: item(), endpointId: 'endpoint' as EndpointId, leftMs }),
    },
    router: {
      tell: async (_kind, id, { type }) => {
        told.push(`${type} ${id}`)
      },
    },
    woken: () => undefined,
  }
  return { told, clock, ports }
}

describe('the sweep', () => {
  test('wakes every endpoint in turn, and begins anew when it has been through all', async () => {
    const ids = Array.from({ length: most * 2 + 1 }, () => newId('endpoint')).sort()
    const { told, ports } = world(ids)
    const sweep = createSweep(ports)
    assert.deepEqual([await sweep(), await sweep(), await sweep()], [true, true, false])
    assert.deepEqual(
      told,
      ids.map((id) => `wake ${id}`),
    )
    await sweep()
    assert.equal(told.at(-1), `wake ${ids[most - 1]}`)
  })
})

describe('a retry', () => {
  test('whose timer fired early, by another clock, waits until it is due', async () => {
    const { told, clock, ports } = world([], 20)
    const retried = retry({ ...ports, clock }, { deliveryId: 'delivery', attemptNumber: 2 })
    await clock.advance(19)
    assert.deepEqual(told, [])
    await clock.advance(1)
    await retried
    assert.deepEqual(told, ['deliver endpoint'])
  })
})
