import assert from 'node:assert/strict'
import { busyMs, groupOf, noCpu, watchCpu } from '../../../bench/harness/cpu.ts'
import { isSound, join, median, perSecond, unitsDone } from '../../../bench/harness/figures.ts'
import type { Sent } from '../../../bench/harness/generator.ts'
import { owedOf } from '../../../bench/harness/waiting.ts'
import { works } from '../../../bench/scenarios/works.ts'
import { describe, test } from '../../support/harness.ts'

const sent = (id: string, patch: Partial<Sent> = {}): Sent => ({
  work: 'ringing',
  id,
  role: 'measured',
  plannedNs: 0,
  sentNs: 10,
  answeredNs: 50,
  status: 200,
  ...patch,
})
const ring = (id: string, atNs = 40) => ({ event: 'call.ringing', id, atNs })
const moved = (id: string) => ({ event: 'call.status', id, atNs: 60 })
const expected = { measured: 'call.ringing', further: 2 } as const
const sound = { refused: 0, lost: 0, duplicated: 0, strange: 0 }

describe('what was sent and what arrived', () => {
  test('fits when every webhook has its frame and its further frames', () => {
    const shots = [sent('a'), sent('a', { role: 'follow' }), sent('b', { role: 'warm' })]
    const frames = [ring('a'), moved('a'), moved('a'), ring('b'), moved('b'), moved('b')]
    const { measured, faults } = join(shots, frames, expected)
    assert.deepEqual(faults, sound)
    assert.deepEqual(measured, [{ id: 'a', sentNs: 10, plannedNs: 0, atNs: 40 }])
  })

  test('counts a missing frame of either kind as lost', () => {
    assert.equal(join([sent('a')], [moved('a'), moved('a')], expected).faults.lost, 1)
    assert.equal(join([sent('a')], [ring('a'), moved('a')], expected).faults.lost, 1)
  })

  test('counts a surplus frame as duplicated, and takes the time of the first', () => {
    const { faults, measured } = join(
      [sent('a')],
      [ring('a', 40), ring('a', 90), moved('a'), moved('a')],
      expected,
    )
    assert.deepEqual([faults.duplicated, measured[0]?.atNs], [1, 40])
  })

  test('counts refusals and frames of nobody', () => {
    const { faults } = join([sent('a', { status: 503 })], [ring('x')], { ...expected, further: 0 })
    assert.deepEqual(faults, { refused: 1, lost: 1, duplicated: 0, strange: 1 })
    assert.equal(isSound(faults), false)
  })

  test('owes nothing further of an opponent', () => {
    assert.ok(isSound(join([sent('a')], [ring('a'), moved('a')], { ...expected, further: null }).faults))
  })

  test('counts from another observation where the work says so', () => {
    const work = { measured: 'provider.accept', from: 'answer.sent', further: 0 } as const
    const seen = [
      { event: 'answer.sent', id: 'a', atNs: 100 },
      { event: 'provider.accept', id: 'a', atNs: 130 },
    ]
    assert.deepEqual(join([sent('a')], seen, work), {
      measured: [{ id: 'a', sentNs: 100, plannedNs: 0, atNs: 130 }],
      doneAtNs: [130],
      faults: sound,
    })
  })

  test('counts what arrived before it was sent as a fault', () => {
    const { faults } = join([sent('a'), sent('b')], [ring('a', 9), ring('b')], { ...expected, further: 0 })
    assert.deepEqual([faults.early, isSound(faults)], [1, false])
  })

  test('ends with the answer where that is what is measured', () => {
    const { measured, faults } = join([sent('a')], [], { measured: 'answer', further: 0 })
    assert.deepEqual([measured[0]?.atNs, faults], [50, sound])
  })

  test('counts no answer that is a refusal as done', () => {
    const { measured, faults } = join([sent('a'), sent('b', { status: 503 })], [], {
      measured: 'answer',
      further: 0,
    })
    assert.deepEqual([measured.map(({ id }) => id), faults.refused], [['a'], 1])
  })
})

test('units that were done are neither refused nor lost, and load beside counts when it was taken', () => {
  const units = [
    ...[sent('a'), sent('a', { role: 'follow' }), sent('b', { role: 'warm' }), sent('lost')],
    ...[
      sent('refused', { status: 503 }),
      sent('c', { role: 'load' }),
      sent('d', { role: 'load', status: 0 }),
    ],
  ]
  const arrived = [ring('a'), ring('b'), moved('lost'), ring('refused')]
  assert.equal(
    unitsDone(units, arrived, () => 'call.ringing'),
    3,
  )
  assert.equal(
    unitsDone([sent('a'), sent('b', { status: 503 })], [], () => 'answer'),
    1,
  )
})

describe('what a run waits for', () => {
  const owedBy = (variant: string) =>
    owedOf([sent('a'), sent('b'), sent('c', { status: 503 })], { variant }, (name) => works[name])

  test('is all that the gateway owes for what it took, each once', () => {
    const owed = owedBy('gateway')
    assert.equal(owed.left(), 6)
    for (const one of [ring('a'), moved('a'), moved('a'), moved('a'), ring('x'), ring('c')]) owed.note(one)
    assert.deepEqual([owed.left(), owed.isOwn(ring('c')), owed.isOwn(ring('x'))], [3, true, false])
  })

  test('is what is measured of an opponent, whatever else it sends', () => {
    const owed = owedBy('usual')
    for (const one of [moved('a'), moved('b'), ring('a')]) owed.note(one)
    assert.equal(owed.left(), 1)
    owed.note(ring('b'))
    assert.equal(owed.left(), 0)
  })
})

test('the rate is counted from the first send to the last arrival', () => {
  const unit = (sentNs: number, atNs: number) => ({ id: '', plannedNs: 0, sentNs, atNs })
  assert.equal(perSecond([unit(0, 5e8), unit(1e9, 2e9)]), 1)
  assert.equal(perSecond([]), 0)
})

test('who takes units faster than they are done is credited with those that had begun before', () => {
  // 2,000 a second are taken for four seconds, the first of which is not measured; 500 a second are done.
  const shots = Array.from({ length: 8_000 }, (_, index) =>
    sent(`${index}`, { role: index < 2_000 ? 'warm' : 'measured', sentNs: index * 5e5 }),
  )
  const rings = shots.map(({ id }, index) => ring(id, (index + 1) * 2e6))
  const { measured, doneAtNs } = join(shots, rings, { ...expected, further: null })
  assert.equal(measured.length, 6_000)
  assert.equal(Math.round(perSecond(measured, doneAtNs)), 500)
})

test('the median is the middle, or between both middles', () => {
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3])], [2, 2.5])
})

test('a machine is busy with what the host took from it, too, but not while it waits', () =>
  assert.equal(busyMs('cpu  1 2 3 1000 1000 4 5 6 7 8\ncpu0 1'), 210))

test('of no process, or of an unknown number of units, CPU is not known', () => {
  const remote = watchCpu({ gateway: [] })()
  assert.deepEqual([remote.cpu(10), remote.others], [noCpu, null])
  const own = watchCpu({ gateway: [process.pid] })()
  assert.deepEqual([own.cpu(null), own.cpu(0)], [noCpu, noCpu])
})

test('a process belongs to the nearest labelled parent', () => {
  const processes = new Map([
    [10, { parent: 1 }],
    [11, { parent: 10 }],
    [12, { parent: 11 }],
    [13, { parent: 10 }],
    [14, { parent: 13 }],
    [20, { parent: 1 }],
  ])
  const labels = new Map([
    [10, 'other'],
    [11, 'gateway'],
    [13, 'postgres'],
  ] as const)
  const groups = [10, 11, 12, 13, 14, 20].map((pid) => groupOf(pid, processes, labels))
  assert.deepEqual(groups, ['other', 'gateway', 'gateway', 'postgres', 'postgres', undefined])
})
