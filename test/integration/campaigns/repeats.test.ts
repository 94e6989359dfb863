import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { node, offer, tenantWithKey } from './world.ts'

const sql = testPool(await testDatabase(), 4)
const as = await node(sql)

test('a campaign is found by its Idempotency-Key also when its start has come, and another is refused', async () => {
  const send = as((await tenantWithKey(sql)).key)
  const startAt = new Date(Date.now() + 1_000).toISOString()
  const body = { name: 'Soon', template: offer, variables: { code: 'A1', first_name: 'you' }, startAt }
  const ask = (key: string) => send('POST', '/campaigns', body, { 'idempotency-key': key })
  const made = await ask('soon')
  assert.equal(made.status, 201)
  while (Date.now() <= Date.parse(startAt)) await sleep(100)
  const again = await ask('soon')
  assert.deepEqual([again.status, again.json.id], [200, made.json.id])
  const late = await ask('late')
  assert.deepEqual([late.status, late.json.error.details[0].path], [400, 'startAt'])
})
