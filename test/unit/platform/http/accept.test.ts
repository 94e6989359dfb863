import assert from 'node:assert/strict'
import { preferredType } from '../../../../src/platform/http/accept.ts'
import { describe, test } from '../../../support/harness.ts'

const json = 'application/json'
const csv = 'text/csv'
const lines = 'application/x-ndjson'

describe('Accept', () => {
  for (const [header, expected] of [
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['text/csv', csv],
    ['TEXT/CSV; charset=utf-8', csv],
    ['text/*', csv],
    ['application/*', json],
    ['application/x-ndjson, */*', lines],
    ['application/json, text/plain, */*', json],
    ['text/csv;q=0.5, application/json', json],
    ['text/csv;q=0.5, application/json;q=0.4', csv],
    ['application/json;q=0.9, */*;q=0.1, application/x-ndjson ; q = 0.95', lines],
    ['text/csv, application/x-ndjson', csv],
    ['application/x-ndjson, text/csv', lines],
    ['application/json, text/csv', json],
    ['text/csv;q=0', json],
    ['text/csv;q=0.000, text/*', json],
    ['application/json;q=0, */*', csv],
    ['application/json;q=0, text/csv;q=0, */*;q=0.1', lines],
    ['*/*;q=0', json],
    ['image/png', json],
    ['text/csv;q=2', csv],
    [', ;q=1,,text/csv', csv],
  ] as const)
    test(`${header ?? '(none)'} → ${expected}`, () => {
      assert.equal(preferredType({ header: () => header }, [json, csv, lines]), expected)
    })
})
