import assert from 'node:assert/strict'
import { encode, histogramOf } from '../../../bench/harness/histogram.ts'
import { markdown } from '../../../bench/harness/markdown.ts'
import type { Round, Row } from '../../../bench/harness/result.ts'
import { countedRounds, groups, ratio, readPlan, table, tailRatio } from '../../../bench/harness/table.ts'
import { describe, test } from '../../support/harness.ts'

/** As many as a p99 needs. */
const thousand = (ms: number) => Array.from({ length: 1_000 }, () => ms * 1e3)

const round = (number: number, ms: number, patch: Partial<Round> = {}): Round => ({
  round: number,
  latency: encode(histogramOf(thousand(ms))),
  fromPlan: encode(histogramOf(thousand(ms))),
  count: 1_000,
  perSecond: 200,
  cpu: { gateway: 200, postgres: 600, redis: 50, worker: 50, all: 900 },
  walBytes: 5_000,
  others: 0,
  errors: { refused: 0, lost: 0, duplicated: 0, strange: 0 },
  ...patch,
})
const row = (variant: string, rounds: Round[]): Row => ({
  scenario: 'event',
  variant,
  load: { kind: 'rate', perSecond: 200 },
  rounds,
})

describe('the table of a bench', () => {
  test('shows each variant, its ratio to the floor of the same rounds and what a million cost', () => {
    const rows = [row('gateway', [round(1, 2), round(2, 4)]), row('floor', [round(1, 1), round(2, 1)])]
    const [head = '', ours = '', floor = ''] = table(rows, { price: 3.6 }).split('\n')
    assert.match(head, /p50 ms +p99 +p99\.9 +max +x floor/)
    assert.match(ours, /^event 200\/s +gateway +2\.00 +4\.00 +- +4\.00 +3\.00 +4\.00 +200 +1\.00 +900 /)
    assert.match(ours, / 0\.00 +2000 +2 +0\.90$/)
    assert.match(floor, /floor +1\.00/)
  })

  test('says which round failed, and shows the hops and other figures', () => {
    const hop = encode(histogramOf([500]))
    const hops = { received: hop, committed: hop, handedOver: hop, written: hop, arrived: hop }
    const errors = { refused: 0, lost: 3, duplicated: 0, strange: 0 }
    const marks = { units: 200, missing: 2, moved: 1, late: 100 }
    const text = table([
      row('gateway', [round(1, 2.5, { hops, marks, errors, figures: { 'ready ms': 12 } })]),
    ])
    assert.match(text, /FAILED ROUND 1: .*"lost":3/)
    assert.match(
      text,
      /arrived 0\.50; sum 2\.50 of 2\.50, within 5 %; FAILED: 2 of 200 units lack marks, 1 .* of 50 %/,
    )
    assert.match(text, /ready ms 12\.00/)
  })

  test('leaves out rounds in which others took the machine from any variant, unless all are such', () => {
    const noisy = { others: 1 }
    const some = [row('gateway', [round(1, 2), round(2, 9)]), row('floor', [round(1, 1), round(2, 1, noisy)])]
    assert.deepEqual([...countedRounds(some)], [1])
    assert.deepEqual([...countedRounds([row('gateway', [round(1, 2, noisy)])])], [1])
    assert.match(
      table(some),
      /3 of 4 runs had the machine to themselves; rounds that were disturbed are left out/,
    )
    assert.match(table(some), /gateway .* 1000 +1 of 2$/m)
  })

  test('shows no percentile that fewer than ten units are beyond', () => {
    const some = (count: number) => ({ fromPlan: encode(histogramOf(thousand(2).slice(0, count))), count })
    const of = (count: number) => table([row('gateway', [round(1, 2, some(count))])]).split('\n')[1] ?? ''
    assert.match(of(999), /gateway +2\.00 +- +- +2\.00 .* 999 +1$/)
    assert.match(of(1_000), /gateway +2\.00 +2\.00 +- +2\.00 /)
    const [ours, floor] = [[round(1, 2, some(999))], [round(1, 1)]]
    assert.deepEqual([tailRatio(ours, floor, 'p99'), tailRatio([round(1, 2)], floor, 'p99')], [null, 2])
  })

  test('marks rows whose generator or receiver had no time left', () => {
    const cores = (generator: number, receiver: number | null) => ({ cores: { generator, receiver } })
    const text = (one: object) => table([row('gateway', [round(1, 2, one)])])
    assert.match(text(cores(0.93, null)), /BUSY: generator 0\.93 of a core/)
    assert.match(text(cores(0.5, 0.81)), /BUSY: receiver 0\.81 of a core/)
    for (const one of [cores(0.8, 0.8), {}]) assert.doesNotMatch(text(one), /BUSY/)
  })

  test('ratios compare within a round', () => {
    const [ours, floor] = [
      [round(1, 2), round(2, 30), round(3, 4)],
      [round(1, 1), round(2, 10), round(3, 2)],
    ]
    assert.equal(ratio(ours, floor, readPlan('p50'))?.toFixed(1), '2.0')
    assert.equal(ratio(ours, [], readPlan('p50')), null)
  })

  test('rows of one scenario and load stand together', () => {
    const other = { ...row('gateway', []), scenario: 'ringing' }
    assert.deepEqual(
      groups([row('gateway', []), other, row('floor', [])]).map((group) =>
        group.map(({ variant }) => variant),
      ),
      [['gateway', 'floor'], ['gateway']],
    )
  })
})

test('a result becomes a table of Markdown with the floor of the same rounds', () => {
  const environment = {
    ...{
      cpu: 'Fast',
      cores: 2,
      memoryBytes: 4 * 2 ** 30,
      kernel: '6.1',
      node: 'v22',
      postgres: '18.4',
      redis: null,
    },
    ...{ governor: null, load: [] },
  }
  const rows = [row('gateway', [round(1, 2)]), row('floor', [round(1, 1)])]
  const text = markdown({
    version: 2,
    startedAt: '2026-11-22T10:00:00Z',
    commit: null,
    environment,
    options: {},
    rows,
  })
  assert.match(text, /^2 x Fast, 4 GiB, Linux 6\.1, Node v22, Postgres 18\.4; 2026-11-22\.\n\n\| /)
  assert.match(
    text,
    /\| `event`, 200\/s, gateway \| 2\.00 ms .* \| 2\.00 \| 2\.00 \| 200 \| 900 us \| 5000 B \| 1000 \| 1 \|/,
  )
})
