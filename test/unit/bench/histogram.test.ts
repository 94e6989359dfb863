import assert from 'node:assert/strict'
import { clockBetween, clockFigures, offsetOf, sameClock } from '../../../bench/harness/clock.ts'
import { decode, encode, histogramOf, merged, spreadOf } from '../../../bench/harness/histogram.ts'
import { areMarksSound, encodedHops, hopsOf, hopTimes, withoutHops } from '../../../bench/harness/hops.ts'
import type { Mark } from '../../../bench/harness/marks-recorder.ts'
import { newToken, recipientIn, tokenIn } from '../../../bench/harness/token.ts'
import { describe, test } from '../../support/harness.ts'
import { roundOf } from './rounds.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a histogram', () => {
  test('survives its encoding, within a tenth of a percent', () => {
    const spread = spreadOf(decode(encode(histogramOf(upTo(10_000)))))
    for (const [name, exact] of Object.entries({ p50: 5, p90: 9, p99: 9.9, p999: 9.99, max: 10 }))
      assert.ok(Math.abs(spread[name as 'p50'] / exact - 1) <= 0.001, `${name} ${spread[name as 'p50']}`)
  })

  test('merged from two is that of all values', () => {
    const [low, high] = [upTo(500), upTo(1_000).slice(500)]
    const both = merged([encode(histogramOf(low)), encode(histogramOf(high))])
    assert.equal(both.totalCount, 1_000)
    assert.deepEqual(spreadOf(both), spreadOf(histogramOf(upTo(1_000))))
  })

  test('of nothing has no figures', () => {
    assert.ok(Object.values(spreadOf(merged([]))).every((value) => Number.isNaN(value)))
  })
})

describe('the hops of a unit', () => {
  const unit = { id: 'a', sentNs: 1_000, plannedNs: 0, atNs: 100_000 }
  const mark = (name: Mark[0], atNs: number, event = 'message.received'): Mark => [name, 'a', event, atNs]
  const marks = [
    mark('received', 11_000, ''),
    mark('committed', 61_000),
    mark('handedOver', 71_000, 'call.status'),
    mark('handedOver', 81_000),
    mark('written', 91_000),
  ]

  test('add up to the whole, and marks of other events do not count', () => {
    const { times, marks: counts } = hopTimes([unit], marks, 'message.received')
    assert.deepEqual(counts, { units: 1, missing: 0, moved: 0, late: 0 })
    assert.deepEqual(times, {
      received: [10],
      committed: [50],
      handedOver: [20],
      written: [10],
      arrived: [9],
    })
  })

  test('begin with the first webhook of a call, whichever gateway it reached', () => {
    const terminated = [mark('received', 150_000, ''), ...marks]
    assert.deepEqual(
      hopTimes([unit], terminated, 'message.received'),
      hopTimes([unit], marks, 'message.received'),
    )
  })

  test('a frame that arrived before its mark makes no hop negative', () => {
    const late = [...marks.slice(0, 4), mark('written', 120_000)]
    const { times, marks: counts } = hopTimes([unit], late, 'message.received')
    assert.deepEqual([times.written, times.arrived], [[19], [0]])
    assert.deepEqual([counts.late, counts.moved], [1, 0])
  })

  test('a unit without one of its marks is left out', () => {
    const { times, marks: counts } = hopTimes([unit], marks.slice(1), 'message.received')
    assert.deepEqual([encodedHops(times), counts.missing], [undefined, 1])
    assert.deepEqual(hopsOf([unit], [], 'message.received'), { marks: counts })
    assert.deepEqual(hopsOf([unit], [], 'provider.message'), {})
  })

  test('marks out of their order are counted, and more than one in a hundred spoils the round', () => {
    const early = [mark('committed', 10_000), ...marks]
    const { marks: counts } = hopTimes([unit], early, 'message.received')
    assert.deepEqual(counts, { units: 1, missing: 0, moved: 1, late: 0 })
    const of = (missing: number) => areMarksSound({ marks: { units: 200, missing, moved: 1, late: 150 } })
    assert.deepEqual([of(1), of(2), areMarksSound({})], [true, false, true])
  })
})

test('rows without hops are named, and are a fault where their work has hops', () => {
  const rowOf = (scenario: string) => ({
    ...({
      scenario,
      variant: 'gateway',
      load: { kind: 'rate', perSecond: 1 },
      rounds: [roundOf(1, 1)],
    } as const),
  })
  const measuredOf = (scenario: string) => (scenario === 'event' ? 'message.received' : 'answer')
  assert.deepEqual(withoutHops([rowOf('send'), rowOf('event'), rowOf('send')], measuredOf), {
    ...{ none: ['send'], unrecorded: ['event'] },
  })
})

test('the exchange of clocks with the shortest way gives offset and uncertainty', () => {
  const slow = { askedNs: 0, theirsNs: 5_000, answeredNs: 4_000 }
  const quick = { askedNs: 10_000, theirsNs: 11_100, answeredNs: 10_200 }
  assert.deepEqual(offsetOf([slow, quick]), { offsetNs: -1_000, uncertaintyNs: 100, theirsNs: 11_100 })
  assert.throws(() => offsetOf([]))
})

test('the offset of a clock moves from that before a run to that after it', () => {
  const before = { offsetNs: 500, uncertaintyNs: 20e6, theirsNs: 1_000 }
  const after = { offsetNs: 2e6 + 500, uncertaintyNs: 1e6, theirsNs: 3_000 }
  const here = clockBetween(before, after)
  assert.deepEqual([900, 1_000, 2_000, 3_000].map(here), [1_400, 1_500, 1_002_500, 2_003_500])
  assert.deepEqual(clockFigures(before, after), { offsetMs: 0.0005, driftMs: 2, errorMs: 20 })
  assert.equal(clockFigures(sameClock, sameClock), undefined)
  assert.equal(clockBetween(sameClock, sameClock)(7), 7)
})

test('a token is found in any text that holds it', () => {
  const [one, two] = [newToken(), newToken()]
  assert.notEqual(one, two)
  assert.equal(tokenIn(`{"id":"wamid.${one}","text":"${one} Is it ready?"}`), one)
  assert.equal(tokenIn('nothing'), '')
  assert.equal(recipientIn('{"to":"+4915112340099","type":"template"}'), '4915112340099')
  assert.equal(recipientIn('{}'), '')
})
