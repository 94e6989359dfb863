// What a gateway asks of Postgres once a second about the endpoints that it owns.
import assert from 'node:assert/strict'
import { createEndpointStore } from '../../../src/delivery/store/endpoints.store.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const store = createEndpointStore(sql, { open: String }, { keepsOpen: false })

async function owned() {
  const { workspaceId } = await addTenant(sql)
  const id = await addEndpoint(sql, workspaceId)
  const taken = await store.take(id, { sid: 'sid-1', exclusive: false, silenceMs: 0 })
  return { id, epoch: taken?.epoch ?? 0, version: taken?.config.configVersion ?? 0 }
}

describe('of endpoints that a gateway owns', () => {
  test('only those are told that have another epoch, a newer configuration, or are gone', async () => {
    const [same, taken, changed, removed] = await Promise.all(Array.from({ length: 4 }, owned))
    if (!same || !taken || !changed || !removed) throw new Error('unreachable')
    const next = await store.take(taken.id, { sid: 'sid-2', exclusive: false, silenceMs: 0 })
    await sql`update endpoints set config_version = config_version + 1 where id = ${changed.id}`
    await sql`update endpoints set deleted_at = now() where id = ${removed.id}`
    const unknown = { id: newId('endpoint'), epoch: 1, version: 1 }
    const known = [same, taken, changed, removed, unknown]
    const versions = new Map(known.map(({ id, version }): [string, number] => [id, version]))
    const told = await store.changedSince(known, (id) => versions.get(id) ?? 0)
    assert.deepEqual(
      new Map(told.map(({ id, ...row }) => [id, row])),
      new Map([
        [taken.id, { ownerEpoch: next?.epoch, hasOtherEpoch: true, configVersion: taken.version }],
        [changed.id, { ownerEpoch: changed.epoch, hasOtherEpoch: false, configVersion: changed.version + 1 }],
        [removed.id, { ownerEpoch: null, hasOtherEpoch: true, configVersion: null }],
        [unknown.id, { ownerEpoch: null, hasOtherEpoch: true, configVersion: null }],
      ]),
    )
  })
})
