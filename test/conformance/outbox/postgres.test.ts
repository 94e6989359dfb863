import assert from 'node:assert/strict'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { createDeliveryStore } from '../../../src/delivery/store/deliveries.store.ts'
import { createReplayStore } from '../../../src/delivery/store/deliveries-replay.store.ts'
import { createEndpointAdminStore } from '../../../src/delivery/store/endpoints-admin.store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addAuthor, addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { https } from '../../unit/delivery/endpoint-driver.ts'
import { outboxSuite } from './suite.ts'

const sql = testPool(await testDatabase())

outboxSuite('Postgres', async (failures = 0) => {
  const { workspaceId } = await addTenant(sql)
  const endpointId = await addEndpoint(sql, workspaceId, { failures })
  const author = await addAuthor(sql, workspaceId)
  const [deliveries, replays, endpoints] = [
    createDeliveryStore(sql),
    createReplayStore(sql),
    createEndpointAdminStore(sql),
  ]
  return {
    endpoint: https({ id: endpointId, workspaceId }),
    async emit(key) {
      await emitEvent(sql, workspaceId, { key })
      const [row] =
        await sql`select id from deliveries where endpoint_id = ${endpointId} order by id desc limit 1`
      return row?.['id'] ?? assert.fail()
    },
    pending: (wish) => deliveries.pending(endpointId, wish),
    dueRetry: async (id, attemptNumber) => (await deliveries.dueRetry(id, attemptNumber))?.item,
    record: (records) => createAttemptStore(sql).record(records),
    isOverdue: async () => (await deliveries.overdueEndpoints(null, 1_000)).includes(endpointId),
    replay: async (id) => assert.equal((await replays.replay(author, id)).type, 'replayed'),
    enable: async () => assert.equal((await endpoints.enable(author, endpointId)).type, 'changed'),
    async disable() {
      assert.equal((await endpoints.disable(author, endpointId)).type, 'changed')
      await replays.close(endpointId, 'HELD')
    },
    async state(id) {
      const [row] = await sql<{ state: string; attemptCount: number }[]>`
        select state, attempt_count from deliveries where id = ${id}`
      return row ? { ...row } : assert.fail()
    },
    async counter() {
      const [row] = await sql<{ enabled: boolean; consecutiveFailures: number }[]>`
        select enabled, consecutive_failures from endpoints where id = ${endpointId}`
      return row ? { ...row } : assert.fail()
    },
    // Postgres uses its own clock, so time passes for the rows by making them older.
    pass: async (ms) =>
      void (await sql`
        update deliveries
        set next_attempt_at = next_attempt_at - ${ms} * interval '1 millisecond'
        where endpoint_id = ${endpointId}`),
  }
})
