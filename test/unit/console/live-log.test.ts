// News in a log that somebody reads: nothing moves under the eyes, and nothing is lost.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  type Log,
  mostWaiting,
  nothingWaits,
  taken,
  withNews,
} from '../../../src/console/web/pages/deliveries/live-log.ts'
import { describe, test } from '../../support/harness.ts'

interface Row {
  readonly id: string
  readonly state: string
}

const row = (id: string, state = 'PENDING'): Row => ({ id, state })
const rows = (...ids: string[]): Row[] => ids.map((id) => row(id))
const idsOf = (list: readonly Row[]) => list.map(({ id }) => id).join('')
const reading = (...ids: string[]): Log<Row> => ({ shown: rows(...ids), waiting: nothingWaits })

describe('a log that is read', () => {
  test('keeps its rows; what is new waits, newest first', () => {
    const after = withNews(reading('c', 'b', 'a'), { rows: rows('e', 'd', 'c'), isWhole: false })
    assert.equal(idsOf(after.shown), 'cba')
    assert.equal(idsOf(after.waiting.rows), 'ed')
    assert.equal(after.waiting.hasGap, false)
    assert.equal(idsOf(taken(after)), 'edcba')
  })

  test('shows a row once, also where the list was read anew while it waited', () => {
    const again = { shown: rows('c', 'b', 'a'), waiting: { rows: rows('d', 'c'), hasGap: false } }
    assert.equal(idsOf(taken(again)), 'dcba')
    const after = withNews(again, { rows: rows('d', 'c', 'b'), isWhole: false })
    assert.deepEqual([idsOf(after.shown), idsOf(after.waiting.rows)], ['cba', 'd'])
  })

  test('changes rows in place, those that wait as well', () => {
    const first = withNews(reading('b', 'a'), { rows: rows('c', 'b'), isWhole: false })
    const news = [row('d'), row('c', 'DELIVERED'), row('b', 'FAILED')]
    const { shown, waiting } = withNews(first, { rows: news, isWhole: false })
    assert.deepEqual(shown, [row('b', 'FAILED'), row('a')])
    assert.deepEqual(waiting.rows, [row('d'), row('c', 'DELIVERED')])
  })

  test('keeps a row that fits the filters only now among those that wait', () => {
    const after = withNews(reading('d', 'b'), { rows: rows('d', 'c', 'b'), isWhole: true })
    assert.equal(idsOf(after.shown), 'db')
    assert.equal(idsOf(taken(after)), 'dcb')
  })

  test('knows when more came than it was told', () => {
    const gap = (ids: string[], isWhole: boolean) =>
      withNews(reading('b', 'a'), { rows: rows(...ids), isWhole }).waiting.hasGap
    assert.equal(gap(['z', 'y'], false), true)
    assert.equal(gap(['z', 'y'], true), false)
    assert.equal(gap(['z', 'b'], false), false)
    assert.equal(gap([], false), false)
  })

  test('lets only so many wait', () => {
    const many = Array.from({ length: mostWaiting + 1 }, (_, index) => `b${String(index).padStart(4, '0')}`)
    const { waiting } = withNews(reading('a'), { rows: rows(...many.reverse(), 'a'), isWhole: false })
    assert.deepEqual([waiting.rows.length, waiting.hasGap], [mostWaiting, true])
  })

  test('whatever is told in whatever pieces, nothing is lost, doubled or out of order', () => {
    const page = fc.uniqueArray(fc.integer({ min: 100, max: 180 }).map(String), { maxLength: 20 })
    fc.assert(
      fc.property(page, fc.array(page, { maxLength: 8 }), (shown, pieces) => {
        const start = reading(...shown.sort().reverse())
        let log = start
        for (const piece of pieces) log = withNews(log, { rows: rows(...piece), isWhole: true })
        assert.equal(idsOf(log.shown), idsOf(start.shown))
        const all = [...new Set([...shown, ...pieces.flat()])].sort().reverse()
        assert.deepEqual(
          taken(log).map(({ id }) => id),
          all,
        )
      }),
    )
  })
})
