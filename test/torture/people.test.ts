// Ten thousand mixed updates of people, half of whom hide their number, in any order at two gateways: nothing is
// dropped, no number is invented, and each person is one contact. PEOPLE_SEED repeats another order.
import assert from 'node:assert/strict'
import {
  checkMessages,
  checkPeople,
  checkReports,
  checkThreads,
  postAll,
} from '../integration/provider/incoming/people-at-two-gateways.ts'
import { describe, test } from '../support/harness.ts'

const PEOPLE = 1_710
const outcome = await postAll(PEOPLE, Number(process.env['PEOPLE_SEED'] ?? 20_261_122))

describe(`${outcome.mixed.count} mixed updates of people, in any order at two gateways`, () => {
  test('are ten thousand, half of them without a number', () => {
    const { count, withNumber } = outcome.mixed
    assert.ok(count >= 10_000, `${count}`)
    assert.ok(Math.abs(withNumber / count - 0.5) < 0.1, `${withNumber} of ${count}`)
  })
  test('make one contact a person, under the addresses that were named', () => checkPeople(outcome))
  test('are each stored and told once, with the person', () => checkMessages(outcome))
  test('leave one conversation a number, with its unread messages and its window', () =>
    checkThreads(outcome))
  test('lose no status and no call', () => checkReports(outcome))
})
