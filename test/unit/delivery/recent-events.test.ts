import assert from 'node:assert/strict'
import { RecentEvents } from '../../../src/delivery/recent-events.ts'
import { idTimeMs, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

describe('the event before an event of a conversation', () => {
  const before = newId('event')
  const madeAt = idTimeMs(before)

  test('is missed until it has come, although its row was written long after its id was made', () => {
    const recent = new RecentEvents()
    assert.equal(recent.lacks('key', before, madeAt + 12_000), true)
    recent.note('key', before, madeAt + 12_000)
    assert.equal(recent.lacks('key', before, madeAt + 12_001), false)
    assert.equal(recent.lacks('other key', before, madeAt + 12_001), true)
  })

  test('is not missed where there is none, or where its hand-over must have been lost', () => {
    const recent = new RecentEvents()
    assert.equal(recent.lacks('key', null, madeAt), false)
    assert.equal(recent.lacks('key', before, madeAt + 30_000), false)
  })

  test('is kept for as long as it may be missed, and not for ever', () => {
    const recent = new RecentEvents()
    recent.note('key', before, madeAt)
    recent.note('other key', newId('event'), madeAt + 29_000)
    assert.equal(recent.lacks('key', before, madeAt + 29_000), false)
    recent.note('third key', newId('event'), madeAt + 31_000)
    assert.equal(recent.lacks('key', before, madeAt + 29_999), false)
    recent.note('fourth key', newId('event'), madeAt + 62_000)
    assert.equal(recent.lacks('key', before, madeAt + 29_999), true)
  })
})
