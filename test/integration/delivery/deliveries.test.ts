import assert from 'node:assert/strict'
import { createDeliveryStore } from '../../../src/delivery/store/deliveries.store.ts'
import { createReplayStore } from '../../../src/delivery/store/deliveries-replay.store.ts'
import { createEndpointAdminStore } from '../../../src/delivery/store/endpoints-admin.store.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import type { EndpointId } from '../../../src/shared/ids.ts'
import { eventually } from '../../e2e/scene.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addAuthor, addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const store = createDeliveryStore(sql)
const overdue = async (id: EndpointId) => (await store.overdueEndpoints(null, 100)).includes(id)

describe('the outbox', () => {
  test('an event reaches every endpoint of its workspace that lists it, and no other', async () => {
    const { workspaceId } = await addTenant(sql)
    const other = await addTenant(sql)
    const [first, second] = [await addEndpoint(sql, workspaceId), await addEndpoint(sql, workspaceId)]
    await addEndpoint(sql, workspaceId, { events: ['call.status'] })
    await addEndpoint(sql, other.workspaceId)
    const written = await emitEvent(sql, workspaceId)
    assert.deepEqual(new Set(written.map((row) => row.endpointId)), new Set([first, second]))
  })

  test('an event for a routed number reaches that endpoint only', async () => {
    const { workspaceId } = await addTenant(sql)
    await addEndpoint(sql, workspaceId)
    const routedTo = await addEndpoint(sql, workspaceId)
    const written = await emitEvent(sql, workspaceId, { routedTo })
    assert.deepEqual(
      written.map((row) => row.endpointId),
      [routedTo],
    )
  })

  test('for an endpoint that is off the delivery is held and not handed over', async () => {
    const { workspaceId } = await addTenant(sql)
    const off = await addEndpoint(sql, workspaceId, { enabled: false })
    assert.equal((await emitEvent(sql, workspaceId)).length, 0)
    const rows = await sql`select state, next_attempt_at from deliveries where endpoint_id = ${off}`
    assert.deepEqual([...rows], [{ state: 'HELD', nextAttemptAt: null }])
  })

  test('an event that nobody wants leaves no row', async () => {
    const { workspaceId } = await addTenant(sql)
    await emitEvent(sql, workspaceId)
    assert.equal((await sql`select from events where workspace_id = ${workspaceId}`).count, 0)
  })

  test('the bytes that come back are the bytes that went in', async () => {
    const { workspaceId } = await addTenant(sql)
    await addEndpoint(sql, workspaceId)
    const body = '{"text":"Olá, \\u00e9 \\/ ✓"}'
    const [written] = await emitEvent(sql, workspaceId, { body })
    assert.equal(Buffer.from(written?.body ?? []).toString(), body)
  })
})

describe('what waits for an endpoint', () => {
  test('comes in the order it was written, and tells that there is more', async () => {
    const { workspaceId } = await addTenant(sql)
    const endpoint = await addEndpoint(sql, workspaceId)
    const written = []
    for (let index = 0; index < 5; index += 1) written.push(...(await emitEvent(sql, workspaceId)))
    const ids = written.map((row) => row.deliveryId)
    const page = await store.pending(endpoint, { exclude: ids.slice(0, 1), first: 3, retries: 3 })
    assert.deepEqual(
      page.items.map((item) => item.deliveryId),
      ids.slice(1, 4),
    )
    assert.deepEqual(page.more, { first: true, retries: false })
  })

  test('comes before retries that are due, and those before replays, however old these are', async () => {
    const { workspaceId } = await addTenant(sql)
    const endpoint = await addEndpoint(sql, workspaceId)
    const ids: string[] = []
    for (let index = 0; index < 4; index += 1)
      ids.push((await emitEvent(sql, workspaceId))[0]?.deliveryId ?? '')
    const [replay = '', retry = '', ...first] = ids
    await sql`update deliveries set replay = true, attempt_count = 6, next_attempt_at = now() - interval '1 second' where id = ${replay}`
    await sql`
      update deliveries set state = 'RETRYING', attempt_count = 1, next_attempt_at = now() - interval '1 second' where id = ${retry}`
    const page = await store.pending(endpoint, { exclude: [], first: 9, retries: 9 })
    assert.deepEqual(
      page.items.map((item) => item.deliveryId),
      [...first, retry, replay],
    )
    assert.deepEqual(
      page.items.map(({ attemptNumber, dueAtMs }) => [attemptNumber, dueAtMs !== undefined]),
      [
        [1, false],
        [1, false],
        [2, true],
        [7, true],
      ],
    )
  })

  test('a retry waits until it is due, and its timer finds it only then', async () => {
    const { workspaceId } = await addTenant(sql)
    const endpoint = await addEndpoint(sql, workspaceId)
    const [written] = await emitEvent(sql, workspaceId)
    const id = written?.deliveryId ?? assert.fail()
    await sql`
      update deliveries set state = 'RETRYING', attempt_count = 1, next_attempt_at = now() + interval '1 hour'
      where id = ${id}`
    assert.equal((await store.pending(endpoint, { exclude: [], first: 9, retries: 9 })).items.length, 0)
    assert.equal(await store.dueRetry(id, 2), undefined)
    await sql`update deliveries set next_attempt_at = now() + interval '200 milliseconds' where id = ${id}`
    const soon = await store.dueRetry(id, 2)
    assert.ok(soon && soon.leftMs <= 201)
    await sql`update deliveries set next_attempt_at = now() - interval '1 second' where id = ${id}`
    const due = await store.dueRetry(id, 2)
    assert.deepEqual([due?.item.attemptNumber, due?.leftMs], [2, 0])
    assert.equal(await store.dueRetry(id, 3), undefined)
    assert.equal(
      (await store.pending(endpoint, { exclude: [], first: 9, retries: 9 })).items[0]?.attemptNumber,
      2,
    )
  })

  test('the sweep names endpoints whose rows are overdue, and not those that are off', async () => {
    const { workspaceId } = await addTenant(sql)
    const endpoint = await addEndpoint(sql, workspaceId)
    await emitEvent(sql, workspaceId)
    assert.equal(await overdue(endpoint), false)
    await sql`update deliveries set next_attempt_at = now() - interval '1 second' where endpoint_id = ${endpoint}`
    assert.equal(await overdue(endpoint), true)
    await sql`update endpoints set enabled = false where id = ${endpoint}`
    assert.equal(await overdue(endpoint), false)
    assert.ok((await store.holdForDisabled(100)) >= 1)
    const rows = await sql`select state from deliveries where endpoint_id = ${endpoint}`
    assert.deepEqual([...rows], [{ state: 'HELD' }])
  })

  test('what was written for an endpoint while it was deleted is given up', async () => {
    const { workspaceId } = await addTenant(sql)
    const endpoint = await addEndpoint(sql, workspaceId)
    await emitEvent(sql, workspaceId)
    await sql`update endpoints set enabled = false, deleted_at = now() where id = ${endpoint}`
    while ((await store.holdForDisabled(100)) > 0);
    const rows = await sql`
      select state, finished_at is null as is_open, next_attempt_at from deliveries where endpoint_id = ${endpoint}`
    assert.deepEqual([...rows], [{ state: 'DISCARDED', isOpen: false, nextAttemptAt: null }])
  })
})

describe('an endpoint that is turned on while what waits for it is held', () => {
  for (const [name, hold] of [
    ['by the sweep', (tx: Pool) => createDeliveryStore(tx).holdForDisabled(100)],
    ['by who turned it off', (tx: Pool, id: EndpointId) => createReplayStore(tx).close(id, 'HELD')],
  ] as const)
    test(`${name}: a replay right behind finds all of it`, async () => {
      const { endpointId, author } = await offWithOneWaiting()
      const { replayed } = await sql.begin(async (tx) => {
        await hold(tx as unknown as Pool, endpointId)
        const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
        let isOver = false
        const replayed = createEndpointAdminStore(sql)
          .enable(author, endpointId)
          .then(() => createReplayStore(sql).replayMany(author, endpointId, { states: ['HELD'] }))
          .finally(() => {
            isOver = true
          })
        await eventually('it waits for who holds', async () => {
          const waiting = await sql`
            select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
          return isOver || waiting.count > 0
        })
        return { replayed }
      })
      const outcome = await replayed
      assert.deepEqual([outcome.type, outcome.type === 'done' && outcome.count], ['done', 1])
    })

  test('keeps what comes from then on', async () => {
    const { endpointId, author } = await offWithOneWaiting()
    await createEndpointAdminStore(sql).enable(author, endpointId)
    await emitEvent(sql, author.workspaceId)
    await createReplayStore(sql).close(endpointId, 'HELD')
    const rows = await sql`select state from deliveries where endpoint_id = ${endpointId} order by id`
    assert.deepEqual([...rows], [{ state: 'HELD' }, { state: 'PENDING' }])
  })
})

/** One delivery that nobody has held yet. */
async function offWithOneWaiting() {
  const { workspaceId } = await addTenant(sql)
  const endpointId = await addEndpoint(sql, workspaceId)
  await emitEvent(sql, workspaceId)
  await sql`update endpoints set enabled = false where id = ${endpointId}`
  return { endpointId, author: await addAuthor(sql, workspaceId) }
}
