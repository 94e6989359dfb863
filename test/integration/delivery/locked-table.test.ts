// Postgres cannot write results for a while, because somebody holds a lock: no event may be sent again for that.
import assert from 'node:assert/strict'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { newId } from '../../../src/shared/ids.ts'
import { afterFile, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, emitEvent } from '../../support/rows.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import { Engine, endpointAt, receiver } from './engine.ts'

const database = await testDatabase()
const sql = testPool(database)
/** A pool like the gateway's, which gives up a lock sooner, so that it does so several times here. */
const impatient = connectPool({ url: database.url, max: 4, name: 'impatient', lockTimeoutMs: 150 })
afterFile(() => impatient.end({ timeout: 1 }))

/** What only results wait for. */
await sql`
  create function wait_for_others() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(7);
    return new;
  end $$`
await sql`
  create trigger held_results before update on deliveries
  for each row when (new.state = 'DELIVERED') execute function wait_for_others()`

async function resultsHeld(during: () => Promise<void>): Promise<void> {
  const connection = await sql.reserve()
  try {
    await connection`begin`
    await connection`select pg_advisory_xact_lock(7)`
    await during()
  } finally {
    await connection`rollback`
    connection.release()
  }
}

/** The statements of the engine that wait for a lock now. */
const waiting = async () =>
  (await sql`select from pg_stat_activity where application_name = 'impatient' and wait_event_type = 'Lock'`)
    .count

const undecided = async (on: Pool) => (await on`select from deliveries where state <> 'DELIVERED'`).count

describe('while results cannot be written', () => {
  test('nothing is sent again, by the sweep or by a new incarnation of its owner, and the order is kept', async (t) => {
    const { workspaceId } = await addTenant(sql)
    const arrived: string[] = []
    const url = await receiver(t, (_path, body, response) => {
      arrived.push(body)
      response.writeHead(200).end()
    })
    const endpointId = await endpointAt(sql, workspaceId, url)
    const engine = new Engine(impatient)
    const node = engine.join()
    t.after(() => engine.close())
    const key = newId('conversation')
    let emitted = 0
    const emit = async () => {
      emitted += 1
      node.dispatch(await emitEvent(sql, workspaceId, { key, body: String(emitted) }))
    }
    const overdue = async () => {
      await sql`update deliveries set next_attempt_at = now() - interval '1 minute' where next_attempt_at is not null`
      await engine.sweep()
    }
    await resultsHeld(async () => {
      for (let count = 0; count < 20; count += 1) await emit()
      await eventually(() => arrived.length === 20)
      for (let tries = 0; tries < 3; tries += 1) {
        await eventually(async () => (await waiting()) > 0)
        await overdue()
        await eventually(async () => (await waiting()) === 0)
      }
      // The process finds another epoch, drops the actor and loads it again from rows without these results.
      await sql`update endpoints set owner_epoch = nextval('actor_epoch') where id = ${endpointId}`
      await eventually(async () => {
        await overdue()
        const [row] = await sql<{ ownerEpoch: number; last: number }[]>`
          select owner_epoch, (select last_value from actor_epoch) as last from endpoints where id = ${endpointId}`
        return !node.directory.has(endpointId) || row?.ownerEpoch === row?.last
      })
      await emit()
      await eventually(async () => {
        await overdue()
        return arrived.length >= 21
      })
    })
    await eventually(async () => {
      await overdue()
      return (await undecided(sql)) === 0
    }, 30_000)
    assert.deepEqual(
      arrived,
      Array.from({ length: emitted }, (_, number) => String(number + 1)),
    )
    const [{ most } = { most: 0 }] = await sql<{ most: number }[]>`
      select max(attempt_count)::int as most from deliveries where endpoint_id = ${endpointId}`
    assert.equal(most, 1)
  })
})
