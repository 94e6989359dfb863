import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { latch, ledger, ledgerActor, settled } from './ledger-actor.ts'

describe('a turn', () => {
  test('has no effect before its transaction is committed, and then runs them in order', async () => {
    const { actors, host, clock } = ledger()
    await actors.tell('x', { type: 'say', text: 'hello' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    void actors.tell('x', { type: 'add', amount: 2 })
    void actors.tell('x', { type: 'add', amount: 3 })
    await settled(clock)
    assert.deepEqual(host.log, ['load', 'frame hello'])
    gate.open()
    await settled(clock)
    assert.deepEqual(host.log.slice(2), ['commit 2', 'note total 2', 'commit 5', 'note total 5'])
  })

  test('without a transaction and with a fresh guard is over when tell returns', async () => {
    const { actors, host } = ledger()
    await actors.tell('x', { type: 'read' })
    void actors.tell('x', { type: 'say', text: 'now' })
    assert.equal(host.log.at(-1), 'frame now')
  })

  test('that is fenced has no effect, and its message reaches the next incarnation', async () => {
    const { actors, host, clock, events } = ledger()
    await actors.tell('x', { type: 'read' })
    host.bump('x', 'sid-b')
    const answer = actors.ask('x', { type: 'add', amount: 4 }, 1_000)
    assert.deepEqual(await answer, { type: 'answered', value: 4 })
    await settled(clock)
    assert.deepEqual(events, ['fenced'])
    assert.deepEqual(host.log, ['load', 'dropped x 1', 'load', 'commit 4', 'note total 4'])
  })

  test('that is found replaced while it commits is fenced, and its message reaches the next incarnation', async () => {
    const { actors, host, clock, events } = ledger()
    await actors.tell('x', { type: 'read' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    const answer = actors.ask('x', { type: 'add', amount: 4 }, 10_000)
    host.bump('x', 'sid-b')
    await clock.advance(1_000)
    gate.open()
    assert.deepEqual(await answer, { type: 'answered', value: 4 })
    assert.deepEqual(events, ['fenced'])
    assert.deepEqual(host.log, ['load', 'confirm', 'dropped x 1', 'load', 'commit 4', 'note total 4'])
  })

  test('that is found replaced after it committed runs no effect', async () => {
    const { actors, host, clock, events } = ledger()
    await actors.tell('x', { type: 'read' })
    const gate = latch()
    host.afterCommit = () => gate.opened
    const answer = actors.ask('x', { type: 'add', amount: 4 }, 10_000)
    await settled(clock)
    host.bump('x', 'sid-b')
    await clock.advance(1_000)
    gate.open()
    assert.deepEqual(await answer, { type: 'unavailable' })
    assert.deepEqual(events, ['foreign'])
    assert.deepEqual(host.log, ['load', 'commit 4', 'confirm', 'dropped x 1'])
  })

  test('whose commit throws answers unavailable and leaves the actor to be read again', async () => {
    const { actors, host, clock } = ledger()
    await actors.tell('x', { type: 'read' })
    await clock.advance(1_500)
    let isBroken = true
    host.beforeCommit = async () => {
      if (isBroken) throw new Error('connection lost during commit')
    }
    assert.deepEqual(await actors.ask('x', { type: 'add', amount: 1 }, 1_000), { type: 'unavailable' })
    isBroken = false
    // The write succeeded although the connection died: the next incarnation starts from the row.
    const row = host.rows.get('x')
    assert.ok(row)
    row.total = 100
    await settled(clock)
    assert.equal(host.lastEpoch, 2, 'it was activated again without a further message')
  })

  test('past three seconds is abandoned, its asker told, and unread messages go to the next incarnation', async () => {
    const { actors, host, clock, events } = ledger()
    await actors.tell('x', { type: 'read' })
    const stuck = latch()
    host.beforeCommit = () => stuck.opened
    const first = actors.ask('x', { type: 'add', amount: 1 }, 60_000)
    const second = actors.ask('x', { type: 'read' }, 60_000)
    await clock.advance(2_999)
    assert.deepEqual(events, [])
    await clock.advance(1)
    assert.deepEqual(await first, { type: 'unavailable' })
    assert.deepEqual(await second, { type: 'answered', value: 0 })
    assert.deepEqual(events, ['timedOut'])
    stuck.open()
    await settled(clock)
    assert.equal(host.rows.get('x')?.total, 0, 'the late commit of the old epoch is fenced')
    assert.ok(!host.log.includes('note total 1'))
  })

  test('that throws parks its message, tells the asker, and the actor is loaded again from what is committed', async () => {
    const { actors, host, parked, events } = ledger()
    await actors.tell('x', { type: 'add', amount: 7 })
    const broken = actors.ask('x', { type: 'break' }, 1_000)
    const behind = actors.ask('x', { type: 'read' }, 1_000)
    assert.deepEqual(await broken, { type: 'unavailable' })
    assert.deepEqual(await behind, { type: 'answered', value: 7 }, 'what the turn changed in place is gone')
    assert.deepEqual(parked, [['break', 'Error: cannot handle this']])
    assert.deepEqual(events, ['parked', 'threw'])
    assert.equal(host.lastEpoch, 2)
    assert.ok(host.log.includes('dropped x 1'))
  })

  test('that throws again and again ends every time, and is not loaded in a circle', async () => {
    const { actors, host, clock } = ledger()
    for (let round = 1; round <= 3; round += 1) {
      assert.deepEqual(await actors.ask('x', { type: 'break' }, 1_000), { type: 'unavailable' })
      await settled(clock)
      assert.equal(host.lastEpoch, round)
    }
  })
})

describe('guarded effects', () => {
  test('wait for a confirmation when the guard has lapsed, and go out in order', async () => {
    const { actors, host, clock } = ledger({ confirmEveryMs: 3_600_000 })
    await actors.tell('x', { type: 'read' })
    await clock.advance(2_500)
    void actors.tell('x', { type: 'say', text: 'one' })
    void actors.tell('x', { type: 'say', text: 'two' })
    assert.deepEqual(host.log, ['load'])
    await settled(clock)
    assert.deepEqual(host.log, ['load', 'confirm', 'frame one', 'frame two'])
    assert.equal(host.confirms, 1)
  })

  test('count the guard from before the commit was sent', async () => {
    const { actors, host, clock } = ledger({ confirmEveryMs: 3_600_000 })
    await actors.tell('x', { type: 'read' })
    const gate = latch()
    host.beforeCommit = () => gate.opened
    void actors.tell('x', { type: 'add', amount: 1 })
    await clock.advance(2_600)
    gate.open()
    await settled(clock)
    void actors.tell('x', { type: 'say', text: 'late' })
    assert.equal(host.log.at(-1), 'note total 1')
    await settled(clock)
    assert.deepEqual(host.log.slice(-2), ['confirm', 'frame late'])
  })

  test('stay held while Postgres is away and go out when it is back', async () => {
    const { actors, host, clock } = ledger({ confirmEveryMs: 3_600_000 })
    await actors.tell('x', { type: 'read' })
    await clock.advance(2_500)
    host.confirmFails = true
    void actors.tell('x', { type: 'say', text: 'kept' })
    await clock.advance(5_000)
    assert.deepEqual(host.log, ['load'])
    host.confirmFails = false
    await clock.advance(250)
    await settled(clock)
    assert.equal(host.log.at(-1), 'frame kept')
  })

  test('never go out once another epoch is known', async () => {
    const { actors, host, clock, events } = ledger({ confirmEveryMs: 3_600_000 })
    await actors.tell('x', { type: 'read' })
    await clock.advance(2_500)
    host.bump('x', 'sid-b')
    void actors.tell('x', { type: 'say', text: 'stale' })
    await settled(clock)
    assert.deepEqual(events, ['foreign'])
    assert.ok(!host.log.includes('frame stale'))
  })

  test('wait until the silence after a takeover is over, while turns and commits go on', async () => {
    const { actors, host, clock } = ledger()
    host.silentMs = 3_000
    await actors.tell('x', { type: 'say', text: 'hello' })
    await actors.tell('x', { type: 'add', amount: 1 })
    await clock.advance(2_999)
    assert.ok(host.log.includes('commit 1') && !host.log.includes('frame hello'))
    await clock.advance(1)
    await settled(clock)
    assert.ok(host.log.includes('frame hello'))
  })

  test('that later messages have made pointless do not run: their actor handles what it has instead', async () => {
    const definition: typeof ledgerActor = {
      ...ledgerActor,
      insteadOf: (effect, { isOver }) =>
        effect.type === 'frame' && isOver ? { type: 'add', amount: 5 } : undefined,
    }
    const { actors, host, clock } = ledger({ definition })
    host.silentMs = 3_000
    await actors.tell('x', { type: 'say', text: 'held' })
    await actors.tell('x', { type: 'finish' })
    await clock.advance(3_000)
    await settled(clock)
    assert.deepEqual(host.log.slice(-2), ['commit 5', 'note total 5'])
    await actors.tell('x', { type: 'say', text: 'at once' })
    await settled(clock)
    assert.deepEqual(host.log.slice(-2), ['commit 10', 'note total 10'])
    assert.ok(!host.log.some((line) => line.startsWith('frame')))
  })

  test('stop the mailbox once as many are held as may wait', async () => {
    const { actors, host, clock } = ledger()
    host.silentMs = 3_000
    const results = []
    for (let n = 0; n < 9; n += 1) results.push(await actors.tell('x', { type: 'say', text: `${n}` }))
    assert.deepEqual(
      results.map(({ type }) => type),
      [...Array(8).fill('accepted'), 'full'],
    )
    await clock.advance(3_100)
    await settled(clock)
    const frames = host.log.filter((line) => line.startsWith('frame'))
    assert.deepEqual(
      frames,
      [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `frame ${n}`),
    )
  })

  test('lapse with the wall clock when the monotonic clock stood still', async () => {
    const { actors, host, clock } = ledger({ confirmEveryMs: 3_600_000 })
    await actors.tell('x', { type: 'read' })
    const frozen = clock.mono()
    clock.mono = () => frozen
    await clock.advance(2_500)
    void actors.tell('x', { type: 'say', text: 'after the freeze' })
    assert.deepEqual(host.log, ['load'])
    await settled(clock)
    assert.deepEqual(host.log.slice(1), ['confirm', 'frame after the freeze'])
  })
})
