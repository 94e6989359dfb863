// bench:compare finds a planted rise of 15 % 19 times in 20, and finds a rise where there is none once in 20 at most.
import assert from 'node:assert/strict'
import { comparedTable } from '../../../bench/compare/compared-table.ts'
import { compare, differences } from '../../../bench/compare/comparison.ts'
import { leastFound, pairedRatio, type Ratio, ratioOf, verdictOf } from '../../../bench/compare/ratio.ts'
import { criticalT } from '../../../bench/compare/student.ts'
import type { Result } from '../../../bench/harness/result.ts'
import { describe, test } from '../../support/harness.ts'
import { loud } from './recorded-noise.ts'
import { resultOf as emptyResult, roundOf } from './rounds.ts'

/** A generator of Park and Miller: the same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const pick = <Value>(random: () => number, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] ?? assert.fail()

const usualPairs = 16
const comparisons = 500
/** Two scenarios share the false alarms. */
const chance = 0.05 / 2

/** How often comparisons of pairs of recorded neighbours, in either order, have this verdict. `calm` divides the noise. */
function shareOfPaired(rise: number, verdict: string, { pairs = usualPairs, calm = 1 } = {}): number {
  const random = seeded(20_261_122)
  const neighbours = Object.values(loud).flatMap((series) =>
    series.slice(1).map((value, index) => [series[index] ?? assert.fail(), value] as const),
  )
  let found = 0
  for (let turn = 0; turn < comparisons; turn += 1) {
    const drawn = Array.from({ length: pairs }, () => {
      const [first, second] = pick(random, neighbours)
      const [before, after] = [first ** (1 / calm), second ** (1 / calm)]
      return random() < 0.5 ? ([before, after * rise] as const) : ([after, before * rise] as const)
    })
    if (verdictOf(pairedRatio(drawn, chance) ?? assert.fail()) === verdict) found += 1
  }
  return found / comparisons
}

/** The same for two results whose rounds have a floor each. `calm` divides the recorded noise. */
function shareOfUnpaired(rise: number, verdict: string, calm: number): number {
  const random = seeded(5)
  const ratios = loud.gateway.map((value, index) => value / (loud.floor[index] ?? assert.fail()))
  const draw = () => Array.from({ length: usualPairs }, () => pick(random, ratios) ** (1 / calm))
  let found = 0
  for (let turn = 0; turn < comparisons; turn += 1) {
    const ratio = ratioOf(
      draw(),
      draw().map((value) => value * rise),
      chance,
    )
    if (verdictOf(ratio ?? assert.fail()) === verdict) found += 1
  }
  return found / comparisons
}

describe('with the noise of a busy machine', () => {
  test('a rise of 15 % is found 19 times in 20', () => {
    assert.ok(shareOfPaired(1.15, 'dearer') >= 0.95)
    assert.ok(shareOfPaired(1 / 1.15, 'cheaper') >= 0.95)
  })
  test('equals differ once in 20 at most', () =>
    assert.ok(shareOfPaired(1, 'dearer') + shareOfPaired(1, 'cheaper') <= 0.05))
  test('six pairs are enough where the machine is calm', () => {
    const calm = { pairs: 6, calm: 3 }
    assert.ok(shareOfPaired(1.15, 'dearer', calm) >= 0.95)
    assert.ok(shareOfPaired(1, 'dearer', calm) + shareOfPaired(1, 'cheaper', calm) <= 0.05)
  })
  test('results that were not interleaved differ once in 20 at most where they are equal', () =>
    assert.ok(shareOfUnpaired(1, 'dearer', 1) + shareOfUnpaired(1, 'cheaper', 1) <= 0.05))
  test('results that were not interleaved show 15 % where the machine is calm', () =>
    assert.ok(shareOfUnpaired(1.15, 'dearer', 3) >= 0.95))
})

describe('critical values of t', () => {
  const known = [
    [0.05, 1, 12.706],
    [0.05, 10, 2.228],
    [0.01, 5, 4.032],
    [0.001, 30, 3.646],
    [0.05, 1e6, 1.96],
  ] as const
  for (const [alpha, df, t] of known)
    test(`${alpha}, ${df} degrees of freedom`, () =>
      assert.ok(Math.abs(criticalT(alpha, df) - t) < 0.001, String(criticalT(alpha, df))))
  test('between whole degrees of freedom', () =>
    assert.ok(criticalT(0.05, 7) < criticalT(0.05, 6.5) && criticalT(0.05, 6.5) < criticalT(0.05, 6)))
})

describe('verdicts', () => {
  const verdicts: readonly (readonly [Ratio, string])[] = [
    [{ ratio: 1.15, low: 1.03, high: 1.3 }, 'dearer'],
    [{ ratio: 1.15, low: 1.01, high: 1.3 }, 'unclear'],
    [{ ratio: 0.8, low: 0.7, high: 0.95 }, 'cheaper'],
    [{ ratio: 1.01, low: 0.95, high: 1.05 }, 'same'],
    [{ ratio: 1.01, low: 0.8, high: 1.2 }, 'unclear'],
  ]
  for (const [ratio, verdict] of verdicts)
    test(`${ratio.low} to ${ratio.high} is ${verdict}`, () => assert.equal(verdictOf(ratio), verdict))
})

function resultOf(rows: Readonly<Record<string, readonly (number | null)[]>>, options = {}): Result {
  const load = { kind: 'rate', perSecond: 200 } as const
  return {
    ...emptyResult([]),
    options,
    rows: Object.entries(rows).map(([variant, values]) => ({
      scenario: 'event',
      variant,
      load,
      rounds: values.map((value, index) => roundOf(index + 1, value)),
    })),
  }
}

test('the least rise that an interval finds is as wide as it, beyond the margin', () => {
  assert.equal(leastFound({ ratio: 1, low: 1 / 1.1, high: 1.1 }).toFixed(3), '0.122')
  assert.equal(verdictOf({ ratio: 1.13, low: 1.13 / 1.1, high: 1.13 * 1.1 }), 'dearer')
  assert.equal(verdictOf({ ratio: 1.12, low: 1.12 / 1.1, high: 1.12 * 1.1 }), 'unclear')
})

describe('two results', () => {
  const [of] = [(a: Result, b: Result) => compare(a, b)[0] ?? assert.fail()]

  test('of an interleaved comparison are paired by round: a drift of the machine is no difference', () => {
    const drift = [1_000, 1_300, 1_700, 2_200, 2_900, 3_700]
    const wobble = [1.01, 0.99, 1.005, 0.995, 1.01, 0.99]
    const mark = { interleaved: 'x' }
    const same = drift.map((value, index) => value * (wobble[index] ?? 1))
    const dear = same.map((value) => value * 1.15)
    const a = resultOf({ gateway: drift }, mark)
    assert.deepEqual(
      [of(a, resultOf({ gateway: same }, mark)).by, of(a, resultOf({ gateway: same }, mark)).verdict],
      ['pair', 'same'],
    )
    assert.equal(of(a, resultOf({ gateway: dear }, mark)).verdict, 'dearer')
    assert.equal(of(a, resultOf({ gateway: dear }, { interleaved: 'y' })).verdict, 'unclear')
  })
  test('are set against their floors: a slower machine is no difference', () => {
    const a = resultOf({ gateway: [200, 202, 198, 201], floor: [100, 101, 99, 100] })
    const b = resultOf({ gateway: [400, 404, 396, 402], floor: [200, 202, 198, 200] })
    assert.deepEqual([of(a, b).by, of(a, b).verdict], ['floor', 'same'])
    assert.equal(of(resultOf({ gateway: [200, 202, 198, 201] }), b).by, 'plain')
  })
  test('without enough rounds or without CPU times have no verdict, and the table says so', () => {
    const [few, none] = [resultOf({ gateway: [100] }), resultOf({ gateway: [null, null, null] })]
    for (const one of [few, none]) assert.equal(of(one, one).verdict, null)
    assert.match(
      comparedTable(compare(few, few), { names: ['x', 'y'] }),
      /event 200\/s.*too few rounds \(1 and 1\)/,
    )
  })
  test('are shown without their floors, too, and a floor that moved is told', () => {
    const a = resultOf({ gateway: [200, 202, 198, 201], floor: [100, 101, 99, 100] })
    const b = resultOf({ gateway: [400, 404, 396, 402], floor: [200, 202, 198, 200] })
    const text = (other: Result) => comparedTable(compare(a, other), { names: ['x', 'y'] })
    assert.match(text(b), /without the floors 2\.00 \(.*, of the floors 2\.00 \(.*; THE FLOOR MOVED/)
    assert.match(text(a), /without the floors 1\.00 \(.*\)$/m)
    assert.doesNotMatch(text(a), /MOVED/)
  })
  test('leave out rounds with faults, and disturbed ones while three others are left', () => {
    const changed = (patches: Readonly<Record<number, object>>) => {
      const result = resultOf({ gateway: [100, 101, 99, 100, 101] })
      const rows = result.rows.map((row) => ({
        ...row,
        rounds: row.rounds.map((one) => ({ ...one, ...patches[one.round] })),
      }))
      return { ...result, rows }
    }
    const [noisy, lossy] = [{ others: 1 }, { errors: { refused: 0, lost: 1, duplicated: 0, strange: 0 } }]
    const counts = (patches: Readonly<Record<number, object>>) => {
      const { rounds, leftOut } = of(changed(patches), changed({}))
      return [rounds, leftOut]
    }
    const wrong = counts({ 1: noisy, 2: lossy })
    assert.deepEqual(wrong, [
      [3, 5],
      [2, 0],
    ])
    assert.deepEqual(counts({ 1: noisy, 2: noisy, 3: noisy })[0], [5, 5])
    assert.match(
      comparedTable(compare(changed({ 2: lossy }), changed({})), { names: ['x', 'y'] }),
      /disturbed or faulty: 1 and 0 rounds/,
    )
  })
  test('that are not alike say in what', () => {
    const one = resultOf({ gateway: [1, 2] }, { seconds: 3, name: 'a', rates: [1] })
    const other = resultOf({ gateway: [1, 2] }, { seconds: 4, name: 'b', rates: [2] })
    const slower = {
      ...other,
      version: 2 as const,
      environment: { ...other.environment, cores: 4, load: [9] },
    }
    assert.deepEqual(differences(one, one), [])
    assert.deepEqual(differences(one, slower), [
      'the bench counts otherwise: version 3 and 2',
      'environment cores: 2 and 4',
      'option seconds: 3 and 4',
    ])
    const names = ['x', 'y'] as const
    assert.match(
      comparedTable([], { names, differences: differences(one, other) }),
      /NOT ALIKE: option seconds/,
    )
  })
  test('share only scenarios that both have', () => {
    assert.deepEqual(compare(resultOf({ gateway: [1, 2] }), resultOf({ usual: [1, 2] })), [])
  })
  test('print the ratio, its interval and the verdict', () => {
    const a = resultOf({ gateway: [100, 101, 99, 100, 101, 99] })
    const b = resultOf({ gateway: [115, 116, 114, 115, 116, 114] })
    assert.match(
      comparedTable(compare(a, b), { names: ['x', 'y'] }),
      /event 200\/s +1\.15 \(1\.1\d to 1\.1\d\).* \d % {2,}dearer/,
    )
  })
})
