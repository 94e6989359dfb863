import assert from 'node:assert/strict'
import { templateRecords } from '../../../src/simulator/default-templates.ts'
import { textOf, variablesIn } from '../../../src/simulator/template-record.ts'
import { describe, test } from '../../support/harness.ts'

const body = { type: 'BODY', text: 'Hello {{1}} and {{2}}, {{1}}.' }
const template = { name: 'greeting', language: 'en', category: 'utility', components: [body] }

describe('templates of an account', () => {
  test('without a file there are approved ones with and without variables and one of every trouble', () => {
    const records = templateRecords(undefined)
    const counts = records
      .filter(({ status }) => status === 'APPROVED')
      .map((one) => variablesIn(textOf(one, 'BODY')).length)
    assert.ok(counts.includes(0) && counts.includes(2))
    assert.deepEqual(
      new Set(records.map(({ status }) => status)),
      new Set(['APPROVED', 'PENDING', 'REJECTED', 'PAUSED']),
    )
    assert.equal(new Set(records.map(({ id }) => id)).size, records.length)
  })

  test('a file replaces them, and may say a status', () => {
    const records = templateRecords([template, { ...template, name: 'other', status: 'DISABLED' }])
    assert.deepEqual(
      records.map(({ name, status, category, parameter_format }) => [
        name,
        status,
        category,
        parameter_format,
      ]),
      [
        ['greeting', 'APPROVED', 'UTILITY', 'POSITIONAL'],
        ['other', 'DISABLED', 'UTILITY', 'POSITIONAL'],
      ],
    )
  })

  test('a file with a template that the provider would not take is refused', () => {
    assert.throws(() => templateRecords([{ ...template, name: 'Not Allowed' }]), /lowercase/)
  })

  test('each variable counts once', () => {
    assert.deepEqual(variablesIn(body.text), ['1', '2'])
  })
})
