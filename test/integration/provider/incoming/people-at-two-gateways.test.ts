import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { checkMessages, checkPeople, checkReports, checkThreads, postAll } from './people-at-two-gateways.ts'

const outcome = await postAll(240, 7)

describe(`${outcome.mixed.count} mixed updates of people, in any order at two gateways`, () => {
  test('are half of people who show no number', () => {
    const { count, withNumber } = outcome.mixed
    assert.ok(Math.abs(withNumber / count - 0.5) < 0.1, `${withNumber} of ${count}`)
  })
  test('make one contact a person, under the addresses that were named', () => checkPeople(outcome))
  test('are each stored and told once, with the person', () => checkMessages(outcome))
  test('leave one conversation a number, with its unread messages and its window', () =>
    checkThreads(outcome))
  test('lose no status and no call', () => checkReports(outcome))
})
