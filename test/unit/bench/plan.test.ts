import assert from 'node:assert/strict'
import { readOptions } from '../../../bench/harness/options.ts'
import type { Row } from '../../../bench/harness/result.ts'
import { leftOut, planOf, planText } from '../../../bench/scenarios/plan.ts'
import { scaleLines, scaleWorlds } from '../../../bench/scenarios/scale.ts'
import { isSteady, warmth } from '../../../bench/scenarios/warm-up.ts'
import { describe, test } from '../../support/harness.ts'
import { roundOf } from './rounds.ts'

const rowOf = (scenario: string, cpus: readonly number[], variant = 'gateway'): Row => ({
  scenario,
  variant,
  load: { kind: 'rate', perSecond: 200 },
  rounds: cpus.map((cpu, index) => roundOf(index + 1, cpu)),
})

describe('the plan of a bench', () => {
  test('without arguments has two whole rounds of every row within ten minutes', () => {
    const { wholeRounds, runsARound, roundSeconds, beforeSeconds } = planOf(readOptions([]))
    assert.ok(wholeRounds >= 2, `${beforeSeconds} s, then ${roundSeconds} s a round`)
    // Seven kinds of work, all but answers under two loads: four variants of events, and `usual` beside sends and lists.
    assert.equal(runsARound, 3 * 4 * 2 + 1 + 3 * 2 * 2)
  })
  test('knows the longest run, which has to end in time, too: an answered call goes on for three seconds', () => {
    const longest = (...given: string[]) => planOf(readOptions(given)).longestRunSeconds
    assert.deepEqual(
      [longest('--scenario', 'event'), longest(), longest('--scenario', 'event', '--seconds', '9')],
      [4.8, 7.8, 10.8],
    )
  })
  test('says how many rounds are over in time', () => {
    assert.match(
      planText(readOptions(['--rounds', '9'])),
      /9 rounds of 37 runs.*; 2 whole within --minutes 10/,
    )
    assert.doesNotMatch(planText(readOptions(['--rounds', '1'])), /whole/)
  })
  test('names the rows that got fewer rounds than were asked for', () => {
    const rows = [rowOf('event', [1, 1, 1]), rowOf('send', [1, 1]), rowOf('ringing', [1])]
    assert.match(leftOut(rows, 3) ?? '', /only 2 of 3 rounds of send 200\/s; 1 of 3 rounds of ringing 200\/s/)
    assert.equal(leftOut(rows, 1), undefined)
  })
})

describe('a warm-up', () => {
  test('is over when the CPU of a unit falls no more', () => {
    assert.equal(isSteady([1_500]), false)
    assert.equal(isSteady([1_500, 1_500, 1_500]), false)
    assert.equal(isSteady([1_500, 1_100, 1_150, 1_090]), false)
    assert.equal(isSteady([1_500, 1_100, 1_150, 1_090, 1_080]), true)
    assert.equal(isSteady([1_500, 800, 1_000, 900]), false)
    assert.equal(isSteady([1_500, 800, 1_000, 900, 850]), true)
  })
  test('lasts as long as it may where the CPU is not known', () => {
    for (const windows of [
      [null, null, null, null],
      [0, 0, 0],
    ])
      assert.equal(isSteady(windows), false)
  })
  test('of a process that is new is as long as that of the gateway by then', () => {
    const warm = warmth()
    const of = (pid: number) => ({ variant: `${pid}`, origins: [], pids: [pid] })
    const [gateway, floor, overHttps] = [of(1), of(2), of(3)]
    const fewest = () => [gateway, floor, overHttps].map((target) => warm.fewest(target, gateway))
    assert.deepEqual(fewest(), [0, 0, 0])
    for (const [target, windows] of [
      [gateway, 4],
      [floor, 3],
      [gateway, 3],
    ] as const)
      warm.add(target, windows)
    assert.deepEqual([...fewest(), warm.fewest(overHttps, undefined)], [0, 0, 7, 0])
  })
})

describe('a bench of scale', () => {
  test('changes one size at a time, and measures the smallest again at the end', () => {
    const worlds = scaleWorlds()
    assert.deepEqual(
      worlds.map(({ name }) => name),
      [
        '2 gateways',
        '3 gateways',
        '2 gateways at 2 x the load',
        '3 gateways at 3 x the load',
        '100 endpoints',
        '5,000 endpoints',
        '2,000,000 rows',
        'backlog of 50,000',
        'none of these',
      ],
    )
    assert.deepEqual(worlds.at(-1)?.grown, worlds.at(-1)?.smallest)
    assert.deepEqual(
      worlds.map(({ times }) => times),
      [1, 1, 2, 3, 1, 1, 1, 1, 1],
    )
    assert.equal(scaleWorlds(20_000)[5]?.grown.endpoints, 50)
  })
  test('shows the cost of each against the smallest, and what is beyond the goal', () => {
    const text = scaleLines([
      // The machine is half as fast in the second round.
      rowOf('event, 3 gateways', [100, 200], 'smallest'),
      rowOf('event, 3 gateways', [110, 240]),
      rowOf('event, 3 gateways', [40, 80], 'smallest floor'),
      rowOf('event, 3 gateways', [48, 104], 'its floor'),
      rowOf('event, 5,000 endpoints', [100, 100], 'smallest'),
      rowOf('event, 5,000 endpoints', [130, 130]),
    ]).join('\n')
    assert.match(text, /event 200\/s +3 gateways +1\.15 +floor 1\.25$/m)
    assert.match(text, /5,000 endpoints +1\.30 +more than 1\.2/)
  })
})
