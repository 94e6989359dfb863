import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import * as v from 'valibot'
import { iceView } from '../../../src/api/schemas/calls.ts'
import { createIceServers } from '../../../src/calls/ice-servers.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { workspace } from '../../support/fixtures.ts'
import { test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { gateway } from './gateway.ts'

const sql = testPool(await testDatabase())

test('GET /calls/ice signs for the workspace of the key, may be kept for half its life, and is no call', async () => {
  const ice = createIceServers({
    urls: ['turn:turn.example.com'],
    turnSecrets: ['s'],
    ttlMs: 600_000,
    clock: systemClock,
  })
  const { call, keyFor } = gateway(sql, { ice })
  const workspaceId = await workspace(sql)
  const { status, json, headers } = await call(await keyFor(workspaceId, ['CALLS_READ']), {
    path: '/calls/ice',
  })
  assert.deepEqual([status, headers['cache-control']], [200, 'private, max-age=300'])
  assert.deepEqual(v.parse(iceView, json), json)
  const [{ username, credential }] = json.iceServers
  assert.equal(username, `${Date.parse(json.expiresAt) / 1_000}:${encodeId('workspace', workspaceId)}`)
  assert.equal(credential, createHmac('sha1', 's').update(username).digest('base64'))
})
