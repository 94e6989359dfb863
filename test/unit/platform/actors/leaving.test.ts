import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { latch, ledger, ledgerActor, settled } from './ledger-actor.ts'

/** An actor with a total of 5 that is being given back, until the gate opens. */
async function givenBack() {
  const world = ledger()
  const { actors, host, clock } = world
  await actors.tell('x', { type: 'add', amount: 5 })
  const gate = latch()
  host.beforeRelease = () => gate.opened
  await actors.tell('x', { type: 'leave' })
  await settled(clock)
  return { ...world, gate }
}

describe('passivation', () => {
  test('gives an idle actor back, row and directory entry', async () => {
    const { actors, host, clock, world } = ledger()
    await actors.tell('x', { type: 'add', amount: 1 })
    await clock.advance(29_000)
    assert.equal(actors.has('x'), true)
    await clock.advance(2_000)
    await settled(clock)
    assert.equal(actors.has('x'), false)
    assert.equal(host.rows.get('x')?.sid, undefined)
    assert.equal(world.epochOf('call', 'x'), undefined)
    assert.ok(!host.log.some((line) => line.startsWith('dropped')))
  })

  test('keeps messages that arrive while it is given back for the next incarnation', async () => {
    const { actors, host, clock, gate } = await givenBack()
    const told = actors.tell('x', { type: 'add', amount: 1 })
    const answer = actors.ask('x', { type: 'read' }, 10_000)
    await settled(clock)
    assert.equal(host.lastEpoch, 1)
    gate.open()
    assert.deepEqual(await answer, { type: 'answered', value: 6 })
    assert.deepEqual(await told, { type: 'accepted' })
    assert.equal(host.lastEpoch, 2)
  })

  test('tells the sender of a message that arrives while a drain gives it back', async () => {
    const { actors, clock, gate } = await givenBack()
    const told = actors.tell('x', { type: 'add', amount: 1 })
    const drained = actors.drain(10_000)
    gate.open()
    await settled(clock)
    assert.deepEqual(await told, { type: 'leaving' })
    await clock.advance(1_000)
    await drained
  })

  test('sends on to the next owner what others told it, but nothing that is internal', async () => {
    const forwarded: string[] = []
    const forward = (_id: string, { type }: { type: string }) => forwarded.push(type) > 0
    const { actors, host, clock, world, ownership, events } = ledger({ forward })
    await actors.tell('x', { type: 'say', text: 'first' })
    await settled(clock)
    const gate = latch()
    host.beforeCommit = () => gate.opened
    await actors.tell('x', { type: 'add', amount: 1 })
    await actors.tell('x', { type: 'say', text: 'later' })
    host.contexts[0]?.post({ type: 'due' })
    await ownership.release('call', ['x'])
    await world.join({ nodeId: 'b', sid: 'sid-b', address: 'http://b' }).claim('call', 'x')
    host.bump('x', 'sid-b')
    gate.open()
    await settled(clock)
    assert.deepEqual(forwarded, ['add', 'say'])
    assert.deepEqual(events, ['fenced', 'lost'])
  })

  test('waits until the mailbox is empty', async () => {
    const { actors, host, clock } = ledger()
    await actors.tell('x', { type: 'read' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    void actors.tell('x', { type: 'add', amount: 1 })
    void actors.tell('x', { type: 'leave' })
    void actors.tell('x', { type: 'add', amount: 1 })
    gate.open()
    await settled(clock)
    assert.equal(host.rows.get('x')?.total, 2)
    assert.equal(host.lastEpoch, 1)
  })

  test('makes room when memory is full: the longest idle leaves, those that must stay do not', async () => {
    const { actors, host, clock } = ledger({ maxActors: 2 })
    for (const id of ['old', 'pinned', 'third', 'fourth']) host.seed(id)
    await actors.tell('pinned', { type: 'stay' })
    await clock.advance(10)
    await actors.tell('old', { type: 'read' })
    assert.deepEqual(await actors.tell('third', { type: 'stay' }), { type: 'accepted' })
    await settled(clock)
    assert.deepEqual(
      ['pinned', 'old', 'third'].map((id) => actors.has(id)),
      [true, false, true],
    )
    assert.deepEqual(await actors.tell('fourth', { type: 'read' }), { type: 'full' })
  })
})

describe('the periodic confirmation', () => {
  test('asks once for all that are looked at, and drops those with a foreign epoch or without a row', async () => {
    const { actors, host, clock, events } = ledger()
    for (const id of ['y', 'z']) host.seed(id)
    for (const id of ['x', 'y', 'z']) await actors.tell(id, { type: 'stay' })
    host.bump('x', 'sid-b')
    host.rows.delete('y')
    await clock.advance(1_000)
    await settled(clock)
    assert.equal(host.confirms, 1)
    assert.deepEqual(events, ['foreign', 'gone'])
    assert.equal(actors.has('z'), true)
  })

  test('looks at every active actor, some at a time', async () => {
    const { actors, host, clock, events } = ledger()
    const ids = Array.from({ length: 2_000 }, (_, number) => `id-${number}`)
    for (const id of ids) {
      host.seed(id)
      await actors.tell(id, { type: 'stay' })
      host.bump(id, 'sid-b')
    }
    await clock.advance(1_000)
    await settled(clock)
    assert.equal(host.confirms, 4)
    assert.deepEqual(
      events,
      ids.map(() => 'foreign'),
    )
  })

  test('leaves alone what has nothing more to do and leaves memory within seconds', async () => {
    const { actors, host, clock } = ledger()
    await actors.tell('x', { type: 'finish' })
    await clock.advance(4_500)
    assert.deepEqual([actors.has('x'), host.confirms], [true, 0])
    await clock.advance(2_000)
    await settled(clock)
    assert.deepEqual([actors.has('x'), host.confirms], [false, 0])
  })

  test('leaves the idle alone', async () => {
    const { actors, host, clock } = ledger()
    await actors.tell('x', { type: 'read' })
    await clock.advance(5_000)
    const confirms = host.confirms
    await clock.advance(10_000)
    assert.equal(host.confirms, confirms)
  })
})

describe('a lost session', () => {
  test('keeps the actors nobody else has, and drops one with another live owner', async () => {
    const { actors, host, clock, world, events } = ledger()
    host.seed('y')
    await actors.tell('x', { type: 'read' })
    await actors.tell('y', { type: 'read' })
    world.wipe()
    await world.join({ nodeId: 'b', sid: 'sid-b', address: 'http://b' }).claim('call', 'y')
    actors.reassert()
    await clock.advance(200)
    await settled(clock)
    assert.deepEqual(events, ['foreign'])
    assert.equal(world.epochOf('call', 'x'), 0, 'claimed anew')
  })

  test('claims two hundred actors a second, not all at once', async () => {
    const { actors, host, clock, ownership } = ledger()
    for (let n = 0; n < 100; n += 1) {
      host.seed(`id-${n}`)
      await actors.tell(`id-${n}`, { type: 'stay' })
    }
    let claims = 0
    const { claim } = ownership
    ownership.claim = (kind, id) => {
      claims += 1
      return claim(kind, id)
    }
    actors.reassert()
    assert.equal(claims, 20)
    await clock.advance(250)
    assert.equal(claims, 60)
    await clock.advance(1_000)
    assert.equal(claims, 100)
  })
})

describe('a drain', () => {
  test('finishes turns, gives everything back and takes nothing new', async () => {
    const { actors, host, clock, world } = ledger()
    host.seed('y')
    await actors.tell('x', { type: 'stay' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    const answer = actors.ask('x', { type: 'add', amount: 3 }, 5_000)
    let isDrained = false
    const drained = actors.drain(10_000).then(() => {
      isDrained = true
    })
    assert.deepEqual(await actors.tell('y', { type: 'read' }), { type: 'leaving' })
    await clock.advance(500)
    assert.equal(isDrained, false)
    gate.open()
    assert.deepEqual(await answer, { type: 'answered', value: 3 })
    await clock.advance(500)
    await drained
    assert.equal(actors.size, 0)
    assert.equal(host.rows.get('x')?.sid, undefined)
    assert.equal(world.epochOf('call', 'x'), undefined)
  })

  test('tells actors that have something to finish, and evicts them at the deadline', async () => {
    const definition = { ...ledgerActor, drain: { type: 'say', text: 'closing' } as const }
    const { actors, host, clock } = ledger({ definition })
    await actors.tell('x', { type: 'stay' })
    const drained = actors.drain(10_000)
    await clock.advance(8_900)
    assert.equal(host.log.filter((line) => line === 'frame closing').length, 1)
    assert.equal(actors.has('x'), true)
    await clock.advance(1_000)
    await drained
    assert.equal(actors.size, 0)
    assert.equal(host.log.at(-1), 'dropped x 1')
    assert.deepEqual(host.released, ['x'])
  })

  test('ends by its deadline when a turn hangs and nothing can be given back', async () => {
    const { actors, host, clock } = ledger({ turnLimitMs: 60_000 })
    await actors.tell('x', { type: 'read' })
    host.beforeCommit = () => latch().opened
    host.beforeRelease = () => latch().opened
    void actors.tell('x', { type: 'add', amount: 1 })
    let isDrained = false
    void actors.drain(4_000).then(() => {
      isDrained = true
    })
    await clock.advance(4_100)
    assert.equal(isDrained, true)
  })

  test('takes in no actor that this process has just inserted, and says so', async () => {
    const { actors, host } = ledger()
    void actors.drain(10_000)
    for (const born of [{}, { first: { type: 'read' } as const }]) {
      const loaded = { state: { total: 0 }, epoch: host.bump('x', 'sid-a'), silentMs: 0 }
      assert.deepEqual(await actors.adopt('x', loaded, born), { type: 'leaving' })
    }
    assert.equal(actors.size, 0)
  })

  test('can be taken back', async () => {
    const { actors, host, clock } = ledger()
    host.beforeCommit = () => latch().opened
    await actors.tell('x', { type: 'add', amount: 1 })
    const drained = actors.drain(10_000)
    actors.resume()
    await clock.advance(200)
    await drained
    host.seed('y')
    assert.deepEqual(await actors.tell('y', { type: 'read' }), { type: 'accepted' })
  })
})

test('what is loading when the process is cut off from Postgres does not live, and its message goes elsewhere', async () => {
  for (const isBack of [false, true]) {
    const { actors, host, clock } = ledger()
    const gate = latch()
    host.beforeLoad = () => gate.opened
    const told = actors.tell('x', { type: 'say', text: 'too late' })
    await settled(clock)
    actors.cutOff()
    if (isBack) actors.resume()
    gate.open()
    assert.deepEqual(await told, { type: 'leaving' })
    assert.deepEqual([actors.has('x'), host.log], [false, ['load', 'dropped x 1']])
    actors.resume()
    assert.deepEqual(await actors.tell('x', { type: 'say', text: 'again' }), { type: 'accepted' })
    await settled(clock)
    assert.deepEqual(host.log.slice(2), ['load', 'frame again'])
  }
})
