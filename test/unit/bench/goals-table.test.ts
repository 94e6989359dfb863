import assert from 'node:assert/strict'
import type { Row } from '../../../bench/harness/result.ts'
import { goalsTable } from '../../../bench/report/goals-table.ts'
import { describe, test } from '../../support/harness.ts'
import { roundOf } from './rounds.ts'

const closed = { kind: 'closed', connections: 64 } as const
const rate = { kind: 'rate', perSecond: 200 } as const
const row = (variant: string, load: Row['load'], figures: { cpu?: number; perSecond?: number }): Row => ({
  ...{ scenario: 'event', variant, load },
  rounds: [1, 2].map((round) => ({
    ...roundOf(round, figures.cpu ?? 1),
    perSecond: figures.perSecond ?? 200,
  })),
})
const lines = (...results: Row[][]) => goalsTable(results)[1]?.split('\n').slice(2) ?? []

describe('the table of goals', () => {
  test('says which are met, and which the durable floor misses as well', () => {
    const rows = (floor: number) => [
      row('gateway', rate, { cpu: 130 }),
      row('floor', rate, { cpu: floor }),
      row('durable-floor', rate, { cpu: 125 }),
    ]
    const cpuOf = (floor: number) => lines(rows(floor)).find((one) => one.includes('CPU'))
    assert.equal(cpuOf(110), '| `event`, 200/s: CPU at most 1.2 x floor | 1.18 | 1.14 | yes |')
    assert.equal(cpuOf(106), '| `event`, 200/s: CPU at most 1.2 x floor | 1.23 | 1.18 | no |')
    assert.equal(
      cpuOf(100),
      '| `event`, 200/s: CPU at most 1.2 x floor | 1.30 | 1.25 | no, nor by the durable-floor |',
    )
  })

  test('asks for at least so many units a second', () => {
    const rows = (ours: number) => [
      row('gateway', closed, { perSecond: ours }),
      row('micro-floor', closed, { perSecond: 1_000 }),
    ]
    assert.deepEqual(lines(rows(600)), [
      '| `event`, 64 conns: a second at least 0.6 x micro-floor | 0.60 |  | yes |',
    ])
    assert.match(lines(rows(500))[0] ?? '', /\| 0\.50 \| {2}\| no \|$/)
  })

  test('takes the first result that has a load, and has no verdict on a run that failed', () => {
    const failed = row('gateway', closed, {})
    const errors = { refused: 1, lost: 0, duplicated: 0, strange: 0 }
    const first = [
      { ...failed, rounds: failed.rounds.map((round) => ({ ...round, errors })) },
      row('micro-floor', closed, {}),
    ]
    const second = [row('gateway', closed, {}), row('micro-floor', closed, {})]
    assert.match(lines(first, second)[0] ?? '', /\| {2}\| {2}\| not known \|$/)
    assert.match(lines(second, first)[0] ?? '', /\| 1\.00 \| {2}\| yes \|$/)
    assert.deepEqual(goalsTable([[row('floor', closed, {})]]), [])
  })
})
