import assert from 'node:assert/strict'
import {
  countedRounds,
  isSound,
  join,
  median,
  type Round,
  type RunFigures,
  ratio,
  spreadOf,
} from '../../../bench/harness/figures.ts'
import type { Sent } from '../../../bench/harness/generator.ts'
import { describe, test } from '../../support/harness.ts'

const sent = (id: string, patch: Partial<Sent> = {}): Sent => ({
  id,
  role: 'measured',
  scheduledNs: 0,
  sentNs: 10,
  answeredNs: 50,
  status: 200,
  ...patch,
})
const ring = (id: string, atNs = 40) => ({ event: 'call.ringing', id, atNs })
const moved = (id: string) => ({ event: 'call.status', id, atNs: 60 })
const expected = { event: 'call.ringing', furtherFrames: 2 }
const sound = { refused: 0, lost: 0, duplicated: 0, strange: 0 }

describe('what was sent and what arrived', () => {
  test('fits when every webhook has its frame and its further frames', () => {
    const shots = [sent('a'), sent('a', { role: 'follow' }), sent('b', { role: 'warm' })]
    const frames = [ring('a'), moved('a'), moved('a'), ring('b'), moved('b'), moved('b')]
    const { measured, faults } = join(shots, frames, expected)
    assert.deepEqual(faults, sound)
    assert.deepEqual(measured, [{ ...sent('a'), atNs: 40 }])
  })

  test('counts a missing frame of either kind as lost', () => {
    assert.equal(join([sent('a')], [moved('a'), moved('a')], expected).faults.lost, 1)
    assert.equal(join([sent('a')], [ring('a'), moved('a')], expected).faults.lost, 1)
    assert.equal(join([sent('a', { role: 'warm' })], [], expected).faults.lost, 3)
  })

  test('counts a repeated frame as duplicated and measures the first', () => {
    const frames = [ring('a', 40), ring('a', 90), moved('a'), moved('a'), moved('a')]
    const { measured, faults } = join([sent('a')], frames, expected)
    assert.deepEqual(faults, { ...sound, duplicated: 2 })
    assert.equal(measured[0]?.atNs, 40)
  })

  test('a duplicate of one webhook does not make up for the loss of another', () => {
    const faults = join([sent('a'), sent('b')], [ring('a'), ring('a')], {
      ...expected,
      furtherFrames: 0,
    }).faults
    assert.deepEqual(faults, { ...sound, lost: 1, duplicated: 1 })
  })

  test('counts frames of an earlier run and refused webhooks, follow-ups included', () => {
    const shots = [sent('a'), sent('a', { role: 'follow', status: 503 })]
    const { faults } = join(shots, [ring('a'), ring('z')], { ...expected, furtherFrames: 0 })
    assert.deepEqual(faults, { ...sound, refused: 1, strange: 1 })
    assert.equal(isSound(faults), false)
  })
})

describe('figures', () => {
  test('percentiles are exact to three digits and in milliseconds', () => {
    const { p50, p90, p99, max } = spreadOf(Array.from({ length: 1_000 }, (_, index) => (index + 1) * 1e6))
    for (const [seen, real] of [
      [p50, 500],
      [p90, 900],
      [p99, 990],
      [max, 1_000],
    ] as const) {
      assert.ok(Math.abs(seen - real) / real < 0.001, `${seen} for ${real}`)
    }
  })

  test('the median of an even number lies between the middle two', () => {
    assert.equal(median([4, 1, 3]), 3)
    assert.equal(median([4, 1, 3, 2]), 2.5)
  })

  test('a ratio is taken within each round and then in the middle', () => {
    const run = (p50: number) => ({ latency: { p50 } }) as RunFigures
    const rounds: Round[] = [
      { system: run(3), floor: run(2) },
      { system: run(90), floor: run(45) },
      { system: run(4), floor: run(4) },
      { system: run(1) },
    ]
    assert.equal(
      ratio(rounds, ({ latency }) => latency.p50),
      1.5,
    )
    assert.equal(
      ratio([{ system: run(1) }], ({ latency }) => latency.p50),
      null,
    )
  })

  test('rounds in which others kept the machine busy count only when there are no quiet ones', () => {
    const run = (othersCores: number) => ({ othersCores }) as RunFigures
    const quiet: Round = { system: run(0.1), floor: run(0) }
    const busy: Round = { system: run(0.1), floor: run(0.9) }
    assert.deepEqual(countedRounds([busy, quiet]), [quiet])
    assert.deepEqual(countedRounds([busy, busy]), [busy, busy])
  })
})
