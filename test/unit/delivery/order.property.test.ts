import assert from 'node:assert/strict'
import fc from 'fast-check'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { failed, ok } from './endpoint-driver.ts'
import { EndpointWorld, type WorldOptions } from './endpoint-world.ts'

const keys = Array.from({ length: 3 }, () => newId('conversation'))
const padding = 'x'.repeat(100)
const slowest = 9_000
/** The real number of retries, but with short delays: hours of sweeps would show nothing more. */
const delaysMs = [1_000, 2_000, 5_000, 15_000, 40_000]

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('emit'),
      key: fc.nat(2),
      count: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('pass'), ms: fc.constantFrom(1, 4, 30, 400, 2_500, 15_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('answer'),
      with: fc.constantFrom('ok', 'slow', 'failed', 'mixed'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('crash') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pulls'), fail: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('turn'), on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wake') }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('handOver'), ms: fc.constantFrom(0, 3, 40, 900) }) },
) as fc.Arbitrary<Step>

interface Step {
  readonly type: 'emit' | 'pass' | 'answer' | 'crash' | 'pulls' | 'turn' | 'wake' | 'handOver'
  readonly key: number
  readonly count: number
  readonly ms: number
  readonly with: 'ok' | 'slow' | 'failed' | 'mixed'
  readonly fail: boolean
  readonly on: boolean
}

const answers = {
  ok: () => ({ report: ok, afterMs: 5 }),
  slow: () => ({ report: ok, afterMs: slowest }),
  failed: () => ({ report: failed, afterMs: 20 }),
  mixed: (turn: number) => ({ report: turn % 3 === 0 ? failed : ok, afterMs: 1 + ((turn * 37) % 300) }),
}

async function take(world: EndpointWorld, one: Step): Promise<void> {
  switch (one.type) {
    case 'emit':
      for (let left = one.count; left > 0; left -= 1) world.emit(keys[one.key] ?? assert.fail(), padding)
      return
    case 'pass':
      return world.clock.advance(one.ms)
    case 'answer':
      world.receive = () => answers[one.with](world.started.length)
      return
    case 'crash':
      return world.crash()
    case 'pulls':
      world.pullsFail = one.fail
      return
    case 'turn':
      return world.turn(one.on)
    case 'wake':
      return world.tell({ type: 'wake' })
    case 'handOver':
      world.handOverMs = (place) => (place * 37) % (one.ms + 1)
      return
  }
}

/** Ends all faults, then lets everything that waits come to its end. */
async function heal(world: EndpointWorld): Promise<void> {
  world.receive = () => ({ report: ok, afterMs: 5 })
  world.pullsFail = false
  if (!world.outbox.enabled) world.turn(true)
  await world.clock.advance(200_000)
}

/**
 * Leaves out held deliveries: they are sent when an operator enables the endpoint, and a message that was
 * under way before that may arrive late.
 */
function checkOrder(world: EndpointWorld): void {
  const held = new Set(world.outbox.rows.flatMap(({ id, wasHeld }) => (wasHeld ? [id] : [])))
  const places = new Map(world.outbox.rows.map(({ id, place }) => [id, place]))
  const seen = new Set<string>()
  const last = new Map<string, number>()
  for (const { item } of world.attempts) {
    if (seen.has(item.deliveryId) || held.has(item.deliveryId)) continue
    seen.add(item.deliveryId)
    const place = places.get(item.deliveryId) ?? assert.fail()
    assert.ok(place > (last.get(item.key) ?? -1), `${place} started after ${last.get(item.key)}`)
    last.set(item.key, place)
  }
}

/** Over HTTPS the next event of a key waits for the answer. After a crash, no request is remembered. */
function checkOneAtATime(world: EndpointWorld): void {
  const firsts = world.attempts.filter(({ item }) => item.attemptNumber === 1)
  for (const [index, one] of firsts.entries()) {
    const overlapping = firsts
      .slice(index + 1)
      .find(
        ({ item, owner, at }) =>
          item.key === one.item.key && owner === one.owner && at < (one.endedAt ?? Infinity),
      )
    assert.equal(overlapping, undefined)
  }
}

/**
 * After a crash, the former owner's attempt and its repetition have one number, and the delay counts from the one that
 * was recorded first. A frame does not carry its attempt number, so over a socket an attempt is compared only if its
 * owner made the one before.
 */
function checkAttempts(world: EndpointWorld, transport: WorldOptions['transport']): void {
  const ends = new Map<string, number>()
  const made = new Set<string>()
  for (const { item, at, owner, endedAt = at } of world.attempts) {
    const { deliveryId, attemptNumber } = item
    assert.ok(attemptNumber <= 6)
    const isCompared = transport === 'https' || made.has(`${deliveryId} ${owner} ${attemptNumber - 1}`)
    const before = isCompared ? ends.get(`${deliveryId} ${attemptNumber - 1}`) : undefined
    if (before !== undefined) assert.ok(at - before >= (delaysMs[attemptNumber - 2] ?? 0))
    made.add(`${deliveryId} ${owner} ${attemptNumber}`)
    const key = `${deliveryId} ${attemptNumber}`
    ends.set(key, Math.min(endedAt, ends.get(key) ?? Number.POSITIVE_INFINITY))
  }
}

const backlogs = fc.constantFrom(300, 3_000, 30_000, 64 * 1024 * 1024)
const script = fc.array(step, { minLength: 5, maxLength: 60 })

describe('first attempts', () => {
  for (const transport of ['https', 'socket'] as const) {
    const run = async (steps: readonly Step[], options: Omit<WorldOptions, 'transport'>) => {
      const world = new EndpointWorld({ transport, settings: { retryDelaysMs: delaysMs }, ...options })
      for (const one of steps) {
        await take(world, one)
        assert.ok(world.processBudget.bytesHeld <= (options.backlogBytes ?? 0) + 20 * (padding.length + 100))
      }
      await heal(world)
      return world
    }

    test(`of a conversation start in the order of events over ${transport}, whatever fails, is pulled or changes hands`, async () => {
      const property = fc.asyncProperty(script, backlogs, async (steps, backlogBytes) => {
        const world = await run(steps, { backlogBytes })
        checkOrder(world)
        if (transport === 'https') checkOneAtATime(world)
      })
      // More than one page waits in the store when the owner changes, and more events follow.
      const longBacklog = [
        { type: 'answer', with: 'slow' },
        { type: 'emit', key: 0, count: 250 },
        { type: 'crash' },
        { type: 'emit', key: 0, count: 30 },
        { type: 'answer', with: 'ok' },
      ] as unknown as Step[]
      await fc.assert(property, { numRuns: 60, examples: [[longBacklog, 64 * 1024 * 1024]] })
    })

    test(`and all others over ${transport}: none is lost, none is early, none is made a seventh time, and memory is given back`, async () => {
      const property = fc.asyncProperty(script, backlogs, async (steps, backlogBytes) => {
        const world = await run(steps, { backlogBytes })
        checkAttempts(world, transport)
        const wasOff = world.outbox.configVersion > 1
        for (const { state } of world.outbox.rows)
          assert.ok(['DELIVERED', 'FAILED', ...(wasOff ? ['HELD'] : [])].includes(state), state)
        assert.equal(world.processBudget.bytesHeld, 0)
        assert.equal(world.processBudget.postsHeld, 0)
      })
      await fc.assert(property, { numRuns: 40 })
    })
  }
})
