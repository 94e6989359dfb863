import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as v from 'valibot'
import { isInstant, time } from '../../../../src/platform/http/time.ts'
import { describe, test } from '../../../support/harness.ts'

describe('a time in a request', () => {
  test('is taken with a zone, or as a day', () => {
    for (const [text, iso] of [
      ['2026-11-20T14:21:03.127Z', '2026-11-20T14:21:03.127Z'],
      ['2026-11-20T14:21+02:00', '2026-11-20T12:21:00.000Z'],
      ['2026-11-20T14:21:03 02:00', '2026-11-20T12:21:03.000Z'],
      ['2028-02-29', '2028-02-29T00:00:00.000Z'],
      ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ] as const)
      assert.equal(v.parse(time, text).toISOString(), iso, text)
  })

  for (const [what, text] of [
    ['a day that rolls over', '2026-02-31'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['the year 0', '0000-01-01T00:00:00Z'],
    ['the year 0 behind a zone', '0001-01-01T00:00+23:59'],
    ['the year 10000 behind a zone', '9999-12-31T23:59:59-23:59'],
    ['a zone without minutes', '2026-01-01T00:00:00+00'],
    ['no zone', '2026-01-01T00:00:00'],
    ['words', 'yesterday'],
  ])
    test(`is not ${what}`, () => assert.equal(v.is(time, text), false))

  test('is one that Postgres can store, whatever the text was', () => {
    const year = fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0'))
    const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
    const text = fc
      .tuple(year, two(13), two(32), two(25), two(60), fc.constantFrom('+', '-'), two(24), two(60))
      .map(([y, month, day, h, m, sign, zh, zm]) => `${y}-${month}-${day}T${h}:${m}${sign}${zh}:${zm}`)
    fc.assert(
      fc.property(text, (given) => {
        const parsed = v.safeParse(time, given)
        if (parsed.success) assert.match(parsed.output.toISOString(), /^(?!0000)\d{4}-/)
      }),
    )
  })
})

describe('an instant', () => {
  test('is a time as we write it, and nothing else', () => {
    assert.equal(isInstant('2026-11-20T14:21:03.127Z'), true)
    for (const text of [
      '0000-99-99T99:99:99.999Z',
      '0000-01-01T00:00:00.000Z',
      '2026-02-31T00:00:00.000Z',
      '',
    ])
      assert.equal(isInstant(text), false, text)
  })
})
