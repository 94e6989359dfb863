import assert from 'node:assert/strict'
import { readClock } from '../../../../src/platform/actors/guard.ts'
import { describe, test } from '../../../support/harness.ts'
import type { MemoryDirectory } from '../../../support/memory-ownership.ts'
import { latch, ledger, settled } from './ledger-actor.ts'

describe('asks and timers', () => {
  test('an ask is answered by a later turn', async () => {
    const { actors, clock } = ledger()
    const answer = actors.ask('x', { type: 'readLater', delayMs: 400 }, 1_000)
    await clock.advance(400)
    assert.deepEqual(await answer, { type: 'answered', value: 0 })
  })

  test('an ask past its deadline is answered timedOut, and a late reply is ignored', async () => {
    const { actors, clock, host } = ledger()
    const answer = actors.ask('x', { type: 'readLater', delayMs: 1_400 }, 1_000)
    await clock.advance(1_000)
    assert.deepEqual(await answer, { type: 'timedOut' })
    await clock.advance(1_000)
    assert.ok(host.log.includes('note due'))
  })

  test('a message whose asker has given up before its turn is not acted on', async () => {
    const { actors, clock, host } = ledger()
    await actors.tell('x', { type: 'read' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    void actors.tell('x', { type: 'add', amount: 1 })
    const answer = actors.ask('x', { type: 'add', amount: 50 }, 1_000)
    await clock.advance(1_000)
    gate.open()
    assert.deepEqual(await answer, { type: 'timedOut' })
    await settled(clock)
    assert.equal(host.rows.get('x')?.total, 1)
  })

  test('no timer of a dropped incarnation fires, and what its effects post is ignored', async () => {
    const { actors, clock, host } = ledger()
    await actors.tell('x', { type: 'say', text: 'hello' })
    await actors.tell('x', { type: 'readLater', delayMs: 400 })
    const [context] = host.contexts
    host.bump('x', 'sid-b')
    await actors.tell('x', { type: 'add', amount: 1 })
    await settled(clock)
    assert.equal(context?.signal.aborted, true)
    context?.post({ type: 'add', amount: 1_000 })
    await clock.advance(5_000)
    assert.ok(!host.log.includes('note due'))
    assert.equal(host.rows.get('x')?.total, 1)
  })
})

describe('activation', () => {
  test('happens once for messages that arrive together, which keep their order', async () => {
    const { actors, clock, host } = ledger()
    const gate = latch()
    host.beforeLoad = () => gate.opened
    const told = ['a', 'b', 'c'].map((text) => actors.tell('x', { type: 'say', text }))
    gate.open()
    assert.deepEqual(await Promise.all(told), Array(3).fill({ type: 'accepted' }))
    await settled(clock)
    assert.deepEqual(host.log, ['load', 'frame a', 'frame b', 'frame c'])
  })

  test('buffers no more than the mailbox takes', async () => {
    const { actors, host } = ledger()
    const gate = latch()
    host.beforeLoad = () => gate.opened
    const told = [1, 2, 3, 4, 5].map(() => actors.tell('x', { type: 'read' }))
    gate.open()
    const types = (await Promise.all(told)).map(({ type }) => type)
    assert.deepEqual(types, ['accepted', 'accepted', 'accepted', 'accepted', 'full'])
  })

  test('says notFound for an id without a row, and does not keep the claim', async () => {
    const { actors, world } = ledger()
    assert.deepEqual(await actors.tell('none', { type: 'read' }), { type: 'notFound' })
    assert.deepEqual(await actors.ask('none', { type: 'read' }, 100), { type: 'notFound' })
    assert.equal(world.epochOf('call', 'none'), undefined)
    assert.equal(actors.size, 0)
  })

  test('names the owner when another live session has the actor', async () => {
    const { actors, world, host } = ledger()
    const owner = { nodeId: 'b', sid: 'sid-b', address: 'http://b' }
    await world.join(owner).claim('call', 'x')
    assert.deepEqual(await actors.tell('x', { type: 'read' }), { type: 'theirs', owner })
    assert.deepEqual(host.log, [])
  })

  test('asks the row while the directory is away: a live owner keeps it, any other is replaced', async () => {
    const { actors, world, host } = ledger()
    const owner = { nodeId: 'b', sid: 'sid-b', address: 'http://b' }
    world.join(owner)
    world.expire('sid-a')
    for (const sid of ['sid-b', 'sid-c', 'sid-d']) {
      host.seed(sid)
      host.bump(sid, sid)
    }
    world.declareDead('sid-d')
    assert.deepEqual(await actors.tell('x', { type: 'read' }), { type: 'accepted' })
    assert.deepEqual(await actors.tell('sid-b', { type: 'read' }), { type: 'theirs', owner })
    assert.deepEqual(await actors.tell('sid-c', { type: 'read' }), { type: 'accepted' })
    assert.equal(host.loads.at(-1)?.deadSid, undefined, 'it may still act: after a silence')
    assert.deepEqual(await actors.tell('sid-d', { type: 'read' }), { type: 'accepted' })
    assert.equal(host.loads.at(-1)?.deadSid, 'sid-d')
    assert.deepEqual(await actors.tell('none', { type: 'read' }), { type: 'notFound' })
  })

  test('that fails is answered unavailable and tried anew by the next message', async () => {
    const { actors, host } = ledger()
    host.beforeLoad = async () => {
      throw new Error('the database is away')
    }
    assert.deepEqual(await actors.tell('x', { type: 'read' }), { type: 'unavailable' })
    host.beforeLoad = async () => {}
    assert.deepEqual(await actors.tell('x', { type: 'read' }), { type: 'accepted' })
  })

  test('that ends after its limit is answered unavailable before, and what it has loaded is dropped', async () => {
    const { actors, host, clock } = ledger()
    const gate = latch()
    host.beforeLoad = () => gate.opened
    const told = actors.tell('x', { type: 'read' })
    await clock.advance(3_000)
    assert.deepEqual(await told, { type: 'unavailable' })
    gate.open()
    await settled(clock)
    assert.deepEqual(host.log, ['load', 'dropped x 1'])
    assert.equal(actors.has('x'), false)
    assert.deepEqual(await actors.tell('x', { type: 'read' }), { type: 'accepted' })
    assert.deepEqual(host.log, ['load', 'dropped x 1', 'load'])
  })

  test('is not needed for a row that this process has just inserted', async () => {
    const { actors, host, clock, world } = ledger()
    host.seed('new', 9)
    const epoch = host.bump('new', 'sid-a')
    const loaded = { state: { total: 9 }, epoch, silentMs: 0 }
    void actors.adopt('new', loaded, { first: { type: 'say', text: 'at once' }, asked: readClock(clock) })
    assert.deepEqual(host.log, ['frame at once'])
    await settled(clock)
    assert.equal(world.epochOf('call', 'new'), epoch)
    assert.deepEqual(await actors.ask('new', { type: 'read' }, 100), { type: 'answered', value: 9 })
  })

  test('adoption of a row that another session has claimed meanwhile ends at once', async () => {
    const { actors, host, clock, world, events } = ledger()
    host.seed('new')
    await world.join({ nodeId: 'b', sid: 'sid-b', address: 'http://b' }).claim('call', 'new')
    void actors.adopt('new', { state: { total: 0 }, epoch: host.bump('new', 'sid-a'), silentMs: 0 })
    await settled(clock)
    assert.deepEqual(events, ['foreign'])
    assert.equal(actors.has('new'), false)
  })
})

describe('a claim that the directory did not answer', () => {
  const join = (world: MemoryDirectory) => world.join({ nodeId: 'a', sid: 'sid-a', address: 'http://a' })

  test('of a row that this process has just inserted is made again at once', async () => {
    const { actors, host, clock, world } = ledger()
    host.seed('new')
    world.expire('sid-a')
    const epoch = host.bump('new', 'sid-a')
    void actors.adopt('new', { state: { total: 0 }, epoch, silentMs: 0 })
    await clock.advance(600)
    assert.equal(world.epochOf('call', 'new'), undefined)
    join(world)
    await clock.advance(250)
    await settled(clock)
    assert.equal(world.epochOf('call', 'new'), epoch)
  })

  test('of an actor that was loaded by its row is made again at once', async () => {
    const { actors, clock, world } = ledger()
    world.expire('sid-a')
    await actors.tell('x', { type: 'stay' })
    join(world)
    await clock.advance(250)
    await settled(clock)
    assert.equal(world.epochOf('call', 'x'), 1)
  })

  test('of an actor that was claimed before is made again at once', async () => {
    const { actors, clock, world } = ledger()
    await actors.tell('x', { type: 'stay' })
    await settled(clock)
    world.wipe()
    world.expire('sid-a')
    actors.reassert()
    await clock.advance(600)
    join(world)
    await clock.advance(250)
    await settled(clock)
    assert.equal(world.epochOf('call', 'x'), 1)
  })

  test('ends an actor that another session has claimed meanwhile', async () => {
    const { actors, clock, world, events } = ledger()
    world.expire('sid-a')
    await actors.tell('x', { type: 'stay' })
    await world.join({ nodeId: 'b', sid: 'sid-b', address: 'http://b' }).claim('call', 'x')
    join(world)
    await clock.advance(250)
    await settled(clock)
    assert.deepEqual([events, actors.has('x')], [['foreign'], false])
  })

  test('is not made again for an actor that has left', async () => {
    const { actors, clock, world } = ledger()
    world.expire('sid-a')
    await actors.tell('x', { type: 'leave' })
    await settled(clock)
    assert.equal(actors.has('x'), false)
    join(world)
    await clock.advance(1_000)
    assert.equal(world.epochOf('call', 'x'), undefined)
  })

  test('costs one request a step while the directory is away, and is made for all once it is back', async () => {
    const { actors, host, clock, world, ownership } = ledger({ maxActors: 500 })
    let claims = 0
    const ids = Array.from({ length: 250 }, (_, index) => `id-${index}`)
    world.expire('sid-a')
    const claim = ownership.claim
    ownership.claim = (kind, id) => {
      claims += 1
      return claim(kind, id)
    }
    for (const id of ids) {
      host.seed(id)
      await actors.tell(id, { type: 'stay' })
    }
    const hang = latch()
    claims = 0
    await clock.advance(1_000)
    assert.equal(claims, 400)
    ownership.claim = async (kind, id) => {
      claims += 1
      await hang.opened
      return claim(kind, id)
    }
    await clock.advance(10_000)
    assert.equal(claims, 500, 'no step follows one that got no answer')
    hang.open()
    await settled(clock)
    join(world)
    await clock.advance(750)
    await settled(clock)
    assert.ok(ids.every((id) => world.epochOf('call', id) !== undefined))
  })
})

describe('a full mailbox', () => {
  test('refuses, and takes again once the turn is over', async () => {
    const { actors, host, clock } = ledger()
    await actors.tell('x', { type: 'read' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    void actors.tell('x', { type: 'add', amount: 1 })
    const told = await Promise.all([1, 2, 3, 4, 5].map(() => actors.tell('x', { type: 'read' })))
    assert.deepEqual(told.at(-1), { type: 'full' })
    assert.deepEqual(await actors.ask('x', { type: 'read' }, 100), { type: 'full' })
    gate.open()
    await settled(clock)
    assert.deepEqual(await actors.tell('x', { type: 'read' }), { type: 'accepted' })
  })
})
