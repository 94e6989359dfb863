import assert from 'node:assert/strict'
import { mergedTails, tailLines, tailOf } from '../../../bench/harness/tail.ts'
import { causeOf } from '../../../bench/harness/tail-sampler.ts'
import { describe, test } from '../../support/harness.ts'

const ms = 1e6
/** A hundred units, one each 10 ms: 99 take 2 ms, the fiftieth 30 ms. */
const measured = Array.from({ length: 100 }, (_, index) => {
  const plannedNs = index * 10 * ms
  return { id: String(index), sentNs: plannedNs, plannedNs, atNs: plannedNs + (index === 50 ? 30 : 2) * ms }
})
const collector = { cause: 'collector', fromNs: 505 * ms, toNs: 515 * ms }
const lock = { cause: 'lock', fromNs: 100 * ms, toNs: 101 * ms }

describe('what went on during the slowest units', () => {
  test('is counted for them and for the others, with the time of the overlap', () => {
    const twice = { ...collector, fromNs: 510 * ms, toNs: 517 * ms }
    const tail = tailOf(measured, [collector, twice, lock])
    assert.deepEqual(tail, {
      slow: 1,
      rest: 99,
      slowMs: 30,
      unexplained: 0,
      // Of one cause, time that counted is not counted again.
      causes: [{ cause: 'collector', slow: 1, rest: 1, overlapMs: 12 }],
    })
  })
  test('says of how many nothing is known', () => assert.equal(tailOf(measured, [lock])?.unexplained, 1))
  test('is undefined where nothing was measured', () => assert.equal(tailOf([], [lock]), undefined))
  test('is summed over rounds, and printed with the widest overlap first', () => {
    const tail = tailOf(measured, [collector]) ?? assert.fail()
    const other = tailOf(measured, [{ ...lock, fromNs: 500 * ms, toNs: 530 * ms }]) ?? assert.fail()
    const [head = '', , first = '', second = '', none = ''] = tailLines(
      mergedTails([tail, other]) ?? assert.fail(),
    )
    assert.match(head, /2 units of 30\.0 ms/)
    assert.match(first, /lock +1 \(50 %\) +1 % +15\.0/)
    assert.match(second, /collector +1 \(50 %\) +1 % +5\.0/)
    assert.match(none, /nothing of these +0 \(0 %\)/)
  })
})

describe('a moment of a backend of Postgres', () => {
  const client = { application: 'switchboard-gateway', kind: 'client backend', waitType: null, wait: null }
  const cases = [
    [{ ...client, waitType: 'Lock', wait: 'transactionid' }, /lock of a row/],
    [{ ...client, waitType: 'IO', wait: 'WalSync' }, /fsync/],
    [{ ...client, waitType: 'LWLock', wait: 'WALWrite' }, /fsync/],
    [{ ...client, waitType: 'IO', wait: 'DataFileRead' }, /reads or writes/],
    [{ ...client, application: 'switchboard-worker' }, /worker/],
    [{ ...client, kind: 'autovacuum worker' }, /autovacuum/],
    [{ ...client, kind: 'checkpointer', waitType: 'IO', wait: 'DataFileSync' }, /checkpoint/],
  ] as const
  for (const [moment, cause] of cases)
    test(`${moment.kind}, ${moment.wait} of ${moment.application}`, () =>
      assert.match(causeOf(moment) ?? '', cause))
  test('that delays nobody has no cause', () => {
    assert.equal(causeOf(client), undefined)
    const idle = { ...client, kind: 'checkpointer', waitType: 'Activity', wait: 'CheckpointerMain' }
    assert.equal(causeOf(idle), undefined)
    assert.equal(causeOf({ ...idle, waitType: 'Timeout', wait: 'CheckpointWriteDelay' }), undefined)
  })
})
