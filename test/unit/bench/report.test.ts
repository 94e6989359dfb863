// The report shows what the result holds, needs no network, and takes names as text.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode, histogramOf } from '../../../bench/harness/histogram.ts'
import type { Load, Result, Round, Row } from '../../../bench/harness/result.ts'
import { cpuParts, groupsOf, hopParts, percentileLine, sweepsOf } from '../../../bench/report/figures.ts'
import { linearAxis, logAxis, ninesAxis } from '../../../bench/report/svg.ts'
import { writeReport } from '../../../bench/report/write-report.ts'
import { describe, test } from '../../support/harness.ts'

const thousand = Array.from({ length: 1_000 }, (_, index) => (index + 1) * 10)

const round = (number: number, changes: Partial<Round> = {}): Round => ({
  round: number,
  latency: encode(histogramOf(thousand)),
  fromPlan: encode(histogramOf(thousand)),
  count: 1_000,
  perSecond: 200,
  cpu: { gateway: 300, postgres: 500, redis: 10, worker: 20, all: 830 },
  walBytes: 5_000,
  others: 0.02,
  errors: { refused: 0, lost: 0, duplicated: 0, strange: 0 },
  ...changes,
})

const at = (perSecond: number): Load => ({ kind: 'rate', perSecond })

const row = (variant: string, load: Load, rounds: readonly Round[]): Row => ({
  scenario: 'event',
  variant,
  load,
  rounds,
})

describe('the figures of a report', () => {
  test('rows of a scenario and load stand together; disturbed rounds are left out in all of them', () => {
    const rows = [
      row('gateway', at(200), [round(1), round(2)]),
      row('gateway', at(600), [round(1)]),
      row('floor', at(200), [round(1, { others: 0.8 }), round(2)]),
    ]
    const [first, second] = groupsOf(rows)
    assert.deepEqual(
      first?.rows.map(({ variant, rounds }) => [variant, rounds.map((one) => one.round)]),
      [
        ['gateway', [2]],
        ['floor', [2]],
      ],
    )
    assert.deepEqual([first?.isDisturbed, second?.rows.length], [false, 1])
  })
  test('where every round was disturbed, all count and the group says so', () => {
    const [group] = groupsOf([row('gateway', at(200), [round(1, { others: 1 }), round(2, { others: 1 })])])
    assert.deepEqual([group?.isDisturbed, group?.rows[0]?.rounds.length], [true, 2])
  })
  test('the line of percentiles rises from the fastest to the slowest unit', () => {
    const line = percentileLine(histogramOf(thousand))
    const ys = line.map(([, y]) => y)
    assert.deepEqual(
      ys,
      [...ys].sort((a, b) => a - b),
    )
    assert.deepEqual([line[0]?.[0], line.at(-1)?.[0]], [0, 3])
    const [p99] = line.filter(([x]) => x === 2).map(([, y]) => y)
    assert.ok(Math.abs((p99 ?? 0) - 9.9) < 0.05, `p99 ${p99}`)
  })
  test('CPU is stacked by process, by medians; without CPU times there is no bar', () => {
    const rounds = [100, 300, 900].map((gateway, index) =>
      round(index, { cpu: { gateway, postgres: 1, redis: 2, worker: null, all: null } }),
    )
    assert.deepEqual(cpuParts(row('gateway', at(1), rounds)), [
      { name: 'gateway', value: 300 },
      { name: 'postgres', value: 1 },
      { name: 'redis', value: 2 },
    ])
    const cpu = { gateway: null, postgres: null, redis: null, worker: null, all: null }
    assert.deepEqual(cpuParts(row('gateway', at(1), [round(1, { cpu })])), [])
  })
  test('hops are means over all rounds', () => {
    const hop = (micros: number) => encode(histogramOf([micros]))
    const hopsOf = (micros: number) => ({
      received: hop(micros),
      committed: hop(200),
      handedOver: hop(30),
      written: hop(40),
      arrived: hop(50),
    })
    const rounds = [round(1, { hops: hopsOf(100) }), round(2, { hops: hopsOf(120) }), round(3)]
    assert.deepEqual(
      hopParts(row('gateway', at(1), rounds)).map(({ value }) => value),
      [110, 200, 30, 40, 50],
    )
    assert.deepEqual(hopParts(row('floor', at(1), [round(1)])), [])
  })
  test('a sweep needs three rates, and follows the load', () => {
    const rows = [800, 200, 400].map((rate) => row('gateway', at(rate), [round(1, { perSecond: rate - 1 })]))
    const sweeps = sweepsOf(groupsOf([...rows, row('floor', at(200), [round(1)])]))
    assert.deepEqual(
      [...sweeps].map(([scenario, found]) => [
        scenario,
        found.map(({ variant, p99 }) => [variant, p99.map(([x]) => x)]),
      ]),
      [['event', [['gateway', [199, 399, 799]]]]],
    )
  })
})

describe('axes', () => {
  test('logarithmic: whole decades around the values', () => {
    const { from, to, ticks } = logAxis('ms', [0.4, 30])
    assert.deepEqual(
      [from, to, ticks.map(({ at: tick }) => tick)],
      [0.1, 100, [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]],
    )
  })
  test('linear: from nothing to a round number', () => {
    const { to, ticks } = linearAxis('a second', [4_321])
    assert.deepEqual([to, ticks.length], [5_000, 6])
  })
  test('nines: p50, p90, p99 as far as there are units', () =>
    assert.deepEqual(
      ninesAxis('percentile', 2.4).ticks.map(({ text }) => text),
      ['0', '90', '99', '50'],
    ))
})

test('the file has a table and plots, names are text, and nothing is fetched', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'))
  const hop = encode(histogramOf([100]))
  const hops = { received: hop, committed: hop, handedOver: hop, written: hop, arrived: hop }
  const failed = { refused: 0, lost: 3, duplicated: 0, strange: 0 }
  const result: Result = {
    version: 2,
    startedAt: '2026-11-22T10:00:00.000Z',
    commit: null,
    environment: {
      cpu: 'a <fast> one',
      cores: 2,
      memoryBytes: 2 ** 33,
      kernel: '6',
      node: 'v20',
      postgres: '18',
      redis: null,
      governor: null,
      load: [0.1, 0.2, 0.3],
    },
    options: {},
    rows: [
      ...[200, 400, 800].map((rate) => row('gateway', at(rate), [round(1, { hops })])),
      row('<img src=x onerror=alert(1)>', at(200), [
        round(1, { errors: failed, figures: { 'memory KiB a socket': 7 } }),
      ]),
      row('nothing measured', at(200), [
        round(1, { fromPlan: encode(histogramOf([])), walBytes: null, others: null }),
      ]),
    ],
  }
  try {
    const path = join(folder, 'report.html')
    writeReport(result, path)
    const text = readFileSync(path, 'utf8')
    assert.equal(text.match(/<svg /g)?.length, 8, 'a sweep, three curves, three stacks and the hops')
    assert.doesNotMatch(text, /<img|<fast>|NaN|Infinity|undefined|<link|@import|src=["']|url\(/)
    assert.match(text, /a &#60;fast&#62; one/)
    assert.match(text, /failed: 3 lost/)
    assert.match(text, /memory KiB a socket 7/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
