import assert from 'node:assert/strict'
import { isOpenAt, windowExpiry, windowExpiryIso } from '../../../src/messaging/window.ts'
import { describe, test } from '../../support/harness.ts'

const hour = 3_600_000
const opened = new Date('2026-11-22T10:00:00.000Z')
const edge = opened.getTime() + 24 * hour

describe('the 24 hours', () => {
  for (const [what, openers] of [
    ['a message', { lastInboundAt: opened, lastCallAt: null }],
    ['a call', { lastInboundAt: null, lastCallAt: opened }],
    [
      'the later of both, a message',
      { lastInboundAt: opened, lastCallAt: new Date(opened.getTime() - 5 * hour) },
    ],
    ['the later of both, a call', { lastInboundAt: new Date(opened.getTime() - 1), lastCallAt: opened }],
  ] as const)
    test(`opened by ${what}: open one millisecond before the edge, closed at it and behind it`, () => {
      const expiresAt = windowExpiry(openers)
      assert.equal(expiresAt?.getTime(), edge)
      assert.equal(isOpenAt(expiresAt, opened.getTime()), true)
      assert.equal(isOpenAt(expiresAt, edge - 1), true)
      assert.equal(isOpenAt(expiresAt, edge), false)
      assert.equal(isOpenAt(expiresAt, edge + 1), false)
    })

  test('opened by neither: never open', () => {
    const expiresAt = windowExpiry({ lastInboundAt: null, lastCallAt: null })
    assert.equal(expiresAt, null)
    assert.equal(isOpenAt(expiresAt, 0), false)
  })

  test('is the same of times as texts', () => {
    const times = [null, '2026-12-31T23:59:59.999Z', '2028-02-28T00:00:00.000Z', '2028-02-28T00:00:00.001Z']
    const dateOf = (at: string | null) => (at === null ? null : new Date(at))
    for (const message of times)
      for (const call of times) {
        const expiresAt = windowExpiry({ lastInboundAt: dateOf(message), lastCallAt: dateOf(call) })
        assert.equal(windowExpiryIso(message, call), expiresAt?.toISOString() ?? null)
      }
  })
})
