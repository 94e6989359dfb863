import assert from 'node:assert/strict'
import { formatsOf } from '../../../src/web/browser/format.ts'
import { phone } from '../../../src/web/browser/phone.ts'
import { describe, test } from '../../support/harness.ts'

const at = '2025-11-22T13:05:09.123Z'
const america = formatsOf('en-US', 'America/New_York')
const germany = formatsOf('de-DE', 'Europe/Berlin')
const brazil = formatsOf('pt-BR', 'America/Sao_Paulo')

describe('times', () => {
  test('English words, 24 hours, the order of the region', () => {
    assert.equal(america.day(at), 'Nov 22, 2025')
    assert.equal(germany.day(at), '22 Nov 2025')
    // A region without an English of its own gets that of the world, not the American one.
    assert.equal(brazil.day(at), '22 Nov 2025')
    assert.equal(america.time('2025-11-22T20:05:09Z'), '15:05')
    assert.equal(germany.timeToSecond(at), '14:05:09')
    assert.equal(america.clock('2025-11-22T05:00:00.007Z'), '00:00:00.007')
  })

  test('the year is there where it is another', () => {
    assert.match(america.moment(at), /^Nov 22, 2025, 08:05$/)
    assert.match(america.logged(at), /^Nov 22, 2025, 08:05:09\.123$/)
    for (const format of [america.moment, america.logged]) assert.doesNotMatch(format(Date.now()), /, \d{4}/)
  })

  test('an exact time has its zone and its form in UTC', () => {
    assert.equal(america.exact(at), 'Nov 22, 2025, 08:05:09.123 GMT-5 (2025-11-22T13:05:09.123Z)')
    assert.equal(america.inFull(at), 'Nov 22, 2025, 08:05:09.123 GMT-5')
    assert.match(formatsOf('en-US', 'Europe/Lisbon').zone(), /^Europe\/Lisbon \(GMT\+[01]\)$/)
    assert.equal(formatsOf('en-US', 'UTC').zone(), 'UTC')
  })
})

describe('numbers', () => {
  test('the marks are those of the region', () => {
    assert.equal(america.count(1_234_567), '1,234,567')
    assert.equal(germany.count(1_234_567), '1.234.567')
    assert.equal(america.plural(1, 'delivery', 'deliveries'), '1 delivery')
    assert.equal(america.plural(8_439, 'delivery', 'deliveries'), '8,439 deliveries')
  })

  test('only what is all is 100%, and only what is nothing is 0%', () => {
    const shares = [0, 0.0004, 0.034, 0.998, 0.9996, 1].map(america.percent)
    assert.deepEqual(shares, ['0%', '<0.1%', '3.4%', '99.8%', '>99.9%', '100%'])
  })

  test('sizes', () => {
    const sizes = [0, 1, 740, 1_024, 1_048_063, 1_048_064, 1_468_006, 16 * 1_048_576, 3 * 1_073_741_824]
    assert.deepEqual(sizes.map(america.bytes), [
      '0 bytes',
      '1 byte',
      '740 bytes',
      '1 KiB',
      '1,023 KiB',
      '1 MiB',
      '1.4 MiB',
      '16 MiB',
      '3 GiB',
    ])
  })

  test('durations have at most two units', () => {
    const some = [-4, 0, 84.6, 999.7, 1_234, 9_949, 9_950, 59_600, 65_000, 3_600_000, 7_380_000, 360_000_000]
    assert.deepEqual(some.map(america.duration), [
      '0 ms',
      '0 ms',
      '85 ms',
      '1 s',
      '1.2 s',
      '9.9 s',
      '10 s',
      '1 min',
      '1 min 5 s',
      '1 h',
      '2 h 3 min',
      '4 d 4 h',
    ])
    assert.deepEqual([0, 65_999, 3_725_000].map(america.callLength), ['0:00', '1:05', '1:02:05'])
  })
})

describe('phone numbers', () => {
  test('are grouped as in their country', () => {
    const written = [
      '+1 555 700 0101',
      '+7 912 345 67 89',
      '+33 6 12 34 56 78',
      '+44 7911 123456',
      '+49 1512 3456789',
      '+55 11 91234 5678',
      '+91 98765 43210',
      '+351 912 345 678',
      '+971 50 123 4567',
      // No grouping is known for these: threes.
      '+380 501 234 567',
      '+49 301 234 567',
      '+1 555 700',
      '+500 555 55',
    ]
    for (const number of written) {
      assert.equal(phone(number.replaceAll(' ', '')), number)
      assert.equal(phone(number.replace(/\D/g, '')), number)
    }
  })

  test('what is no number stays', () => {
    for (const text of ['US.13491208655302741918', '12345', '', 'Ana', '+1 555 700 0101', '1'.repeat(16)])
      assert.equal(phone(text), text)
  })
})
