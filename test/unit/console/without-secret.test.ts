import assert from 'node:assert/strict'
import { makeKey } from '../../../src/accounts/key-format.ts'
import { searchQuery } from '../../../src/console/search-query.ts'
import { withoutSecret } from '../../../src/console/web/palette/without-secret.ts'
import { test } from '../../support/harness.ts'

test('of an API key that is searched for, the part that names it is asked for, and its secret is not', () => {
  for (const environment of ['live', 'test'] as const) {
    const { key, prefix } = makeKey(environment)
    const named = `ck_${environment}_${prefix}`
    assert.equal(withoutSecret(key), named)
    assert.equal(withoutSecret(`Bearer "${key}"`), `Bearer "${named}"`)
    assert.equal(searchQuery(withoutSecret(`"${key}"`)).token, named)
  }
  for (const text of ['ck_live_', 'ck_live_abc', 'order_4471_late']) assert.equal(withoutSecret(text), text)
})
