import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { MemoryDirectory } from '../../../support/memory-ownership.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { type Deed, ModelRow, randomFrom, type SimulatedNode, startSimulatedNode } from './simulated-world.ts'

interface Settings {
  readonly guardMs: number
  readonly silenceMs: number
}

const sessionTtlMs = 5_000

/** Half a minute of three nodes and one endpoint. `isActing`: effects happened in the last three seconds. */
async function live(seed: number, { guardMs, silenceMs }: Settings) {
  const random = randomFrom(seed)
  const clock = new SimulatedClock()
  const row = new ModelRow(clock, silenceMs)
  const redis = new MemoryDirectory()
  let started = 0
  const start = () => {
    started += 1
    return startSimulatedNode(`sid-${started}`, { clock, random, row, redis, guardMs })
  }
  const nodes = [start(), start(), start()]
  let rollBack = redis.snapshot()

  /** Pauses the node. Its session runs out during a long pause, and is renewed when the node resumes. */
  const freeze = (node: SimulatedNode) => {
    const ms = 500 + random() * 9_000
    node.process.pause()
    if (ms > sessionTtlMs) clock.after(sessionTtlMs, () => redis.expire(node.sid))
    clock.after(ms, () => {
      if (node.process.hasCrashed) return
      redis.join({ nodeId: node.sid, sid: node.sid, address: '' })
      node.process.resume()
      node.actors.reassert()
    })
  }
  const crash = (index: number) => {
    const node = nodes[index]
    if (!node) return
    node.process.crash()
    clock.after(random() < 0.5 ? 600 : sessionTtlMs, () => redis.expire(node.sid))
    nodes[index] = start()
  }
  const disturb = () => {
    const index = Math.floor(random() * nodes.length)
    const node = nodes[index]
    const what = random()
    if (what < 0.5 && node?.process.isRunning) freeze(node)
    else if (what < 0.65) crash(index)
    else if (what < 0.8) redis.wipe()
    else if (what < 0.9) rollBack()
    else rollBack = redis.snapshot()
  }

  for (let step = 0; step < 300; step += 1) {
    // No faults towards the end: the longest pause and the silence of the new owners after it must be over.
    if (step < 170 && random() < 0.06) disturb()
    const node = nodes[Math.floor(random() * nodes.length)]
    if (node?.process.isRunning) void node.actors.tell('e', { type: random() < 0.3 ? 'write' : 'act' })
    await clock.advance(100)
  }
  for (const { actors } of nodes) actors.close()
  return { row, isActing: row.deeds.some(({ type, at }) => type === 'act' && at > clock.now() - 3_000) }
}

/**
 * Counts writes, or effects, of an epoch that came after the same of a later epoch. The two are counted
 * separately, because the silence of a new owner does not apply to writes.
 */
function violations(row: ModelRow, type: Deed['type']): number {
  let highest = 0
  let count = 0
  for (const { epoch } of row.deeds.filter((deed) => deed.type === type)) {
    if (epoch < highest) count += 1
    highest = Math.max(highest, epoch)
  }
  return count
}

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('three nodes under pauses, crashes and a directory that forgets', () => {
  test('no epoch acts or writes once a later one has, no epoch is given twice [INV-1, INV-3]', async () => {
    let deeds = 0
    let owners = 0
    for (const seed of seeds(300)) {
      const { row, isActing } = await live(seed, { guardMs: 2_500, silenceMs: 3_000 })
      assert.ok(isActing, `seed ${seed}: nobody acts any more`)
      assert.equal(violations(row, 'act'), 0, `seed ${seed}: a superseded owner acted`)
      assert.equal(violations(row, 'write'), 0, `seed ${seed}: a superseded owner wrote`)
      assert.equal(new Set(row.grants.map(({ epoch }) => epoch)).size, row.grants.length, `seed ${seed}`)
      deeds += row.deeds.length
      owners += new Set(row.deeds.map(({ sid }) => sid)).size
    }
    assert.ok(deeds > 10_000 && owners > 600, `it saw ${deeds} deeds of ${owners} owners`)
  })

  test('the same world finds the fault when a successor does not stay silent', async () => {
    let found = 0
    for (const seed of seeds(40)) {
      const { row } = await live(seed, { guardMs: 2_500, silenceMs: 0 })
      found += violations(row, 'act')
    }
    assert.ok(found > 0)
  })

  test('the same world finds the fault when an owner trusts itself for longer than the silence', async () => {
    let found = 0
    for (const seed of seeds(40)) {
      const { row } = await live(seed, { guardMs: 60_000, silenceMs: 3_000 })
      found += violations(row, 'act')
    }
    assert.ok(found > 0)
  })
})
