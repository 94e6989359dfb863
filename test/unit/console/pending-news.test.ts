import assert from 'node:assert/strict'
import { createPendingNews } from '../../../src/console/web/core/pending-news.ts'
import { describe, test } from '../../support/harness.ts'

describe('news of a topic', () => {
  test('are due until they were read, and then only if there are others', () => {
    const pending = createPendingNews()
    assert.equal(pending.isDue('a'), true)
    assert.equal(pending.isDue('a'), true, 'nobody has read them')
    pending.took('a')
    assert.equal(pending.isDue('a'), false)
    assert.equal(pending.isDue('b'), true)
  })

  test('are due ever more rarely while they cannot be read, and at once after a success', () => {
    const pending = createPendingNews()
    const turnsUntilDue = () => {
      pending.failed()
      let turns = 1
      while (!pending.isDue('a')) turns += 1
      return turns
    }
    assert.deepEqual(Array.from({ length: 6 }, turnsUntilDue), [2, 3, 5, 9, 17, 17])
    pending.took('a')
    assert.equal(pending.isDue('b'), true)
  })
})
