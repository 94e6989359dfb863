import assert from 'node:assert/strict'
import { permissionAt } from '../../../src/contract/call-permission.ts'
import { test } from '../../support/harness.ts'

const endsAt = Date.UTC(2026, 10, 27, 14, 21, 3, 127)
const said = { response: 'accept', granted: true, isPermanent: false, source: 'user_action' } as const
const temporary = { ...said, expiresAt: new Date(endsAt).toISOString() }

test('a temporary permission holds until the very millisecond in which it ends', () => {
  assert.equal(permissionAt(temporary, new Date(endsAt - 1)).granted, true)
  assert.deepEqual(permissionAt(temporary, new Date(endsAt)), { ...temporary, granted: false })
})

test('a permanent one, and one whose end nobody told, holds on', () => {
  const later = new Date(endsAt + 1e12)
  assert.deepEqual(permissionAt({ ...temporary, isPermanent: true }, later).granted, true)
  assert.deepEqual(permissionAt(said, later), { ...said, expiresAt: null })
})

test('a refusal is no permission at any time', () => {
  const refusal = { ...said, response: 'reject', granted: false }
  assert.equal(permissionAt(refusal, new Date(0)).granted, false)
})
