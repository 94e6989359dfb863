import assert from 'node:assert/strict'
import { plotOf, rowsOf } from '../../../src/console/web/parts/chart-plot.ts'
import {
  nearest,
  spread,
  stacked,
  timeText,
  timeTicks,
  valueTicks,
  zoomBy,
  zoomOf,
} from '../../../src/console/web/parts/chart-scale.ts'
import { describe, test } from '../../support/harness.ts'

const hourMs = 3_600_000
const midnight = new Date(2026, 10, 22).getTime()
const times = Array.from({ length: 24 }, (_, hour) => midnight + hour * hourMs)

describe('the scales of charts', () => {
  test('values have round steps from 0 to the highest or above', () => {
    assert.deepEqual(valueTicks(87, 4, true), [0, 50, 100])
    assert.deepEqual(valueTicks(8_439, 4, true), [0, 5_000, 10_000])
    assert.deepEqual(valueTicks(4, 4, true), [0, 1, 2, 3, 4])
    assert.deepEqual(valueTicks(0, 4, true), [0, 1])
    assert.deepEqual(valueTicks(0.3, 4, false), [0, 0.1, 0.2, 0.3])
  })

  test('counts never have a fraction as a step', () => {
    for (const highest of [0, 1, 2, 3, 5, 7]) assert.ok(valueTicks(highest, 4, true).every(Number.isInteger))
  })

  test('times are round, of 24 hours, and a day begins with its date', () => {
    const ticks = timeTicks({ from: midnight - 5 * hourMs, to: midnight + 19 * hourMs }, 5)
    assert.deepEqual(
      ticks.map(({ text }) => text),
      ['Nov 22', '06:00', '12:00', '18:00'],
    )
    const seconds = timeTicks({ from: midnight + 13 * hourMs, to: midnight + 13 * hourMs + 20_000 }, 5)
    assert.deepEqual(seconds.map(({ text }) => text).slice(0, 2), ['13:00:00', '13:00:05'])
  })

  test('there are never more ticks than fit', () => {
    for (const spanMs of [3_000, 90_000, 7 * hourMs, 24 * hourMs, 9 * 24 * hourMs, 400 * 24 * hourMs])
      for (const most of [2, 5, 9]) {
        const ticks = timeTicks({ from: midnight + 1, to: midnight + spanMs }, most)
        assert.ok(ticks.length >= 1 && ticks.length <= most + 1, `${spanMs}: ${ticks.length} of ${most}`)
      }
  })

  test('a bar says from when until when, with its date on another day', () => {
    const at = midnight + 13 * hourMs
    assert.equal(timeText(at, { lengthMs: hourMs, today: at }), '13:00 – 14:00')
    assert.equal(timeText(at, { today: at + 24 * hourMs }), 'Nov 22, 13:00')
    assert.equal(timeText(at + 5_000, { hasSeconds: true, today: at }), '13:00:05')
  })

  test('bars stand on one another; nothing stands below 0', () => {
    assert.deepEqual(
      stacked([
        [1, 2],
        [3, null],
        [-1, 4],
      ]),
      [
        [
          [0, 1],
          [0, 2],
        ],
        [
          [1, 4],
          [2, 2],
        ],
        [
          [4, 4],
          [2, 6],
        ],
      ],
    )
  })

  test('labels that would overlap are moved apart, within the plot', () => {
    assert.deepEqual(spread([10, 12, 90], 14, { low: 0, high: 100 }), [10, 24, 90])
    assert.deepEqual(spread([99, 98], 14, { low: 0, high: 100 }), [100, 86])
    assert.deepEqual(rowsOf(['Sent 1', 'Delivered 12', 'Read 3'], 190), [[0, 1], [2]])
  })
})

describe('the zoom of charts', () => {
  test('a drag shows what lies in it, in either direction, and too short a drag nothing', () => {
    const [two, five] = [midnight + 2 * hourMs, midnight + 5 * hourMs]
    assert.deepEqual(zoomOf(times, five, two), { from: two, to: five })
    assert.equal(zoomOf(times, two + 1, two + 2), undefined)
  })

  test('keys halve and double it around a value, and end at everything', () => {
    const all = { from: midnight, to: midnight + 23 * hourMs }
    const near = zoomBy(times, all, midnight + 10 * hourMs, 0.5)
    assert.deepEqual(near, { from: midnight + 5 * hourMs, to: midnight + 16.5 * hourMs })
    assert.equal(zoomBy(times, near ?? all, midnight + 10 * hourMs, 8), undefined)
    let shown = all
    for (let turn = 0; turn < 20; turn += 1) shown = zoomBy(times, shown, times[10] ?? 0, 0.5) ?? all
    assert.ok(times.filter((at) => at >= shown.from && at <= shown.to).length >= 2)
  })

  test('the nearest value is read', () => {
    assert.equal(nearest(times, midnight + 2.4 * hourMs), 2)
    assert.equal(nearest(times, midnight - hourMs), 0)
    assert.equal(nearest([], 1), -1)
  })
})

describe('the plot', () => {
  const values = times.map(() => 1_234_567)
  const series = [
    { title: 'Delivered', tone: 'good' as const, values },
    { title: 'Failed', tone: 'bad' as const, values },
  ]

  for (const width of [300, 342, 700, 1_100])
    test(`of ${width} pixels clips no text`, () => {
      const plot = plotOf(
        { times, series, isStacked: true, lengthMs: hourMs },
        { width, height: 200, zoom: undefined },
      )
      assert.equal(plot.valueTicks[1]?.text, '1,000,000')
      assert.ok(plot.left >= '1,000,000'.length * 6)
      for (const { x, text } of plot.timeTicks) {
        assert.ok(x - text.length * 3 >= 0 && x + text.length * 3 <= width, text)
      }
      for (const { at } of plot.valueTicks) assert.ok(at >= 6 && at <= 194)
      assert.ok(plot.right - plot.left > 150)
      assert.equal(plot.labels?.isBeside, width >= 700)
    })

  test('a zoom leaves out what lies beside it, and a single value has room', () => {
    const zoom = { from: times[3] ?? 0, to: times[6] ?? 0 }
    const plot = plotOf({ times, series }, { width: 700, height: 200, zoom })
    assert.deepEqual(plot.times, times.slice(3, 7))
    assert.equal(plot.series[0]?.values.length, 4)
    assert.equal(plot.all.length, 24)
    const one = plotOf({ times: [midnight], series }, { width: 700, height: 200, zoom: undefined })
    assert.ok(Number.isFinite(one.middleOf(0)))
  })
})
