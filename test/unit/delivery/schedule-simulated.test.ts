import assert from 'node:assert/strict'
import { failure } from '../../../src/delivery/attempt.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { failed, ok } from './endpoint-driver.ts'
import { EndpointWorld, type WorldOptions } from './endpoint-world.ts'

const schedule = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
const hour = 3_600_000

/** The delay from each failure to the start of the next attempt. */
async function gapsOf(world: EndpointWorld, hours = 3): Promise<number[]> {
  await world.clock.advance(hours * hour)
  return world.attempts.slice(1).map(({ at }, index) => at - (world.attempts[index]?.endedAt ?? Number.NaN))
}

const refusing = (transport: WorldOptions['transport'], settings: WorldOptions['settings'] = {}) => {
  const world = new EndpointWorld({ transport, settings })
  world.receive = () => ({ report: failed, afterMs: 70 })
  world.emit(newId('conversation'))
  return world
}

/** Over a socket the next attempt may have to dial first; a commit takes time with both transports. */
const slackMs = 100

for (const transport of ['https', 'socket'] as const) {
  describe(`two and a half hours of a delivery over ${transport}`, () => {
    test('six attempts, each as long after the failure before it as the schedule says, and none after', async () => {
      const world = refusing(transport)
      const gaps = await gapsOf(world)
      assert.equal(world.attempts.length, 6)
      for (const [index, gap] of gaps.entries()) {
        const due = schedule[index] ?? assert.fail()
        assert.ok(gap >= due && gap <= due + slackMs, `${gap} after ${due}`)
      }
      assert.deepEqual(
        world.outbox.rows.map(({ state, attemptCount }) => [state, attemptCount]),
        [['FAILED', 6]],
      )
    })

    test('with the most jitter the waits are longer by 5 % or 15 s, never shorter', async () => {
      const gaps = await gapsOf(refusing(transport, { random: () => 1 }))
      const most = [10_500, 63_000, 315_000, 1_815_000, 7_215_000]
      for (const [index, gap] of gaps.entries())
        assert.ok(gap >= (most[index] ?? 0) && gap <= (most[index] ?? 0) + slackMs, `${gap}`)
      assert.equal(gaps.length, 5)
    })

    test('every attempt sends the same bytes, and a success ends it', async () => {
      const world = refusing(transport)
      await world.clock.advance(80_000)
      world.receive = () => ({ report: ok, afterMs: 70 })
      await world.clock.advance(3 * hour)
      assert.equal(new Set(world.attempts.map(({ item }) => item.body)).size, 1)
      assert.deepEqual(
        world.outbox.rows.map(({ state, attemptCount }) => [state, attemptCount]),
        [['DELIVERED', 4]],
      )
    })

    test('an owner that dies keeps no retry from its time by more than the sweep takes', async () => {
      const world = refusing(transport)
      for (const waitMs of [5_000, 30_000, 200_000, hour]) {
        await world.clock.advance(waitMs)
        world.crash()
      }
      const gaps = await gapsOf(world)
      assert.equal(gaps.length, 5)
      for (const [index, gap] of gaps.entries())
        assert.ok(gap >= (schedule[index] ?? 0) && gap <= (schedule[index] ?? 0) + 8_000, `${gap}`)
    })

    test('twenty failures switch it off: no request after the twentieth, waiting retries included', async () => {
      const world = new EndpointWorld({ transport })
      world.receive = () => ({ report: failed, afterMs: 70 })
      for (let index = 0; index < 60; index += 1) world.emit(newId('conversation'))
      await world.clock.advance(3 * hour)
      assert.equal(world.attempts.length, 20)
      assert.equal(world.outbox.switchedOff, 1)
      assert.equal(world.outbox.consecutiveFailures, 20)
      assert.ok(world.outbox.rows.every(({ state }) => state === 'HELD'))
      const off = world.outbox.rows.length
      world.emit(newId('conversation'))
      assert.equal(world.outbox.rows[off]?.state, 'HELD')
      assert.deepEqual(await world.call('ring'), {
        type: 'answered',
        value: { type: 'failed', code: 'ENDPOINT_OFF', message: 'the endpoint is switched off' },
      })

      world.receive = () => ({ report: ok, afterMs: 5 })
      world.turn(true)
      await world.clock.advance(hour)
      assert.equal(world.attempts.length, 20, 'nothing goes by itself')
      world.emit(newId('conversation'))
      await world.clock.advance(10_000)
      assert.equal(world.attempts.length, 21)
    })

    test('retries that are due at once do not carry a streak past the twentieth failure', async () => {
      const world = new EndpointWorld({ transport, failures: 6 })
      world.receive = () => ({ report: failed, afterMs: 3_000 })
      for (let index = 0; index < 10; index += 1) world.emit(newId('conversation'))
      await world.clock.advance(3 * hour)
      assert.equal(world.attempts.length, 14)
      assert.equal(world.outbox.switchedOff, 1)
    })

    test('a call that fails is not counted', async () => {
      const world = new EndpointWorld({ transport, failures: 19 })
      world.receive = () => ({ report: failed, afterMs: 5 })
      const call = world.call('ring')
      await world.clock.advance(20_000)
      assert.equal(((await call) as { value: { type: string } }).value.type, 'failed')
      assert.equal(world.outbox.consecutiveFailures, 19)
    })
  })
}

describe('over https', () => {
  test('Retry-After lengthens a wait up to two hours, and never shortens one', async () => {
    const world = refusing('https')
    const hints = [45_000, 1_000, 400_000, 5 * hour, 1_000]
    world.receive = ({ ...item }) => {
      const number = 'attemptNumber' in item ? item.attemptNumber : 0
      return { report: { ...failed, retryAfterMs: hints[number - 1] ?? null }, afterMs: 70 }
    }
    const gaps = await gapsOf(world, 8)
    const due = [45_000, 60_000, 400_000, 2 * hour, 2 * hour]
    for (const [index, gap] of gaps.entries())
      assert.ok(gap >= (due[index] ?? 0) && gap <= (due[index] ?? 0) + slackMs, `${gap}`)
    assert.equal(gaps.length, 5)
  })

  test('a fault of ours uses up no attempt, pauses the endpoint for a second and keeps the order', async () => {
    const world = new EndpointWorld({ transport: 'https', failures: 19 })
    const ours = reportOf(failure('DNS_UNAVAILABLE'))
    world.receive = () => ({ report: ours, afterMs: 1 })
    const key = newId('conversation')
    const rows = [world.emit(key), world.emit(key)]
    await world.clock.advance(3_500)
    assert.ok(world.attempts.length <= 4)
    world.receive = () => ({ report: ok, afterMs: 5 })
    rows.push(world.emit(key))
    await world.clock.advance(5_000)
    const delivered = world.attempts.slice(-3).map(({ item }) => item.deliveryId)
    assert.deepEqual(
      delivered,
      rows.map(({ id }) => id),
    )
    assert.ok(
      world.outbox.rows.every(({ state, attemptCount }) => state === 'DELIVERED' && attemptCount === 1),
    )
  })

  test('a refused address ends the delivery at once and is not counted', async () => {
    const world = new EndpointWorld({ transport: 'https', failures: 19 })
    world.receive = () => ({ report: reportOf(failure('ADDRESS_FORBIDDEN')), afterMs: 1 })
    world.emit(newId('conversation'))
    await world.clock.advance(3 * hour)
    assert.equal(world.attempts.length, 1)
    assert.deepEqual([world.outbox.rows[0]?.state, world.outbox.consecutiveFailures], ['BLOCKED', 19])
  })
})
