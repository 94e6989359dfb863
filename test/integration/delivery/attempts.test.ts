import assert from 'node:assert/strict'
import type { AttemptReport } from '../../../src/delivery/attempt.ts'
import type { QueuedItem } from '../../../src/delivery/endpoint.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { createDeliveryLogStore } from '../../../src/delivery/store/deliveries-log.store.ts'
import { isDue } from '../../../src/platform/postgres/due.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { attemptRows, refused, type Scene } from './attempt-rows.ts'

const sql = testPool(await testDatabase())
const store = createAttemptStore(sql)

const { scene, newItem, success, retry, recordOf } = attemptRows(sql)

const deliveryOf = async (item: QueuedItem) => {
  const [row] =
    await sql`select state, attempt_count, next_attempt_at from deliveries where id = ${item.deliveryId}`
  return row ?? assert.fail()
}

const endpointOf = async ({ endpointId }: Scene) => {
  const [row] =
    await sql`select enabled, consecutive_failures, disabled_reason from endpoints where id = ${endpointId}`
  return row ?? assert.fail()
}

/** Rows of `attempts`. */
const rowsOf = async ({ deliveryId }: QueuedItem) =>
  (await sql`select from attempts where delivery_id = ${deliveryId}`).count

const shownOf = (of: Scene, { deliveryId }: QueuedItem) =>
  createDeliveryLogStore(sql).find(of.workspaceId, deliveryId)

const numbersOf = async (of: Scene, item: QueuedItem) =>
  (await shownOf(of, item))?.attempts.map(({ number }) => number)

const accepted: AttemptReport = {
  ...reportOf({ type: 'delivered', statusCode: 202 }, 13),
  timings: { firstByteMs: 11 },
  responseHeaders: { 'x-id': '7' },
  responseBody: Buffer.from('taken'),
  remoteAddress: '203.0.113.7',
  reusedConnection: true,
}

describe('recorded attempts', () => {
  test('a success ends the delivery, resets the counter and is kept with its answer', async () => {
    const of = await scene(7)
    const item = await newItem(of)
    await store.record([success(of, item)])
    assert.equal((await deliveryOf(item))['state'], 'DELIVERED')
    assert.equal((await endpointOf(of))['consecutiveFailures'], 0)
  })

  test('an attempt that delivers at once is in the row of its delivery, with its whole answer', async () => {
    const of = await scene()
    const item = await newItem(of)
    await store.record([recordOf(of, item, { report: accepted, verdict: { type: 'delivered' } })])
    assert.equal(await rowsOf(item), 0)
    const shown = await shownOf(of, item)
    assert.deepEqual([shown?.lastAttempt?.statusCode, shown?.lastAttempt?.durationMs], [202, 13])
    const { at, ...attempt } = shown?.attempts[0] ?? assert.fail()
    assert.equal(at, shown?.lastAttempt?.at)
    assert.deepEqual(attempt, {
      ...{ number: 1, statusCode: 202, error: null, errorDetail: null, durationMs: 13 },
      ...{ timings: { firstByteMs: 11 }, remoteAddress: '203.0.113.7', reusedConnection: true },
      ...{ responseHeaders: { 'x-id': '7' }, responseBody: 'taken', responseBodyEncoding: 'utf8' },
    })
    await sql`update deliveries set state = 'PENDING', replay = true where id = ${item.deliveryId}`
    const again = { ...item, attemptNumber: 2, replay: true }
    await store.record([recordOf(of, again, { report: refused, verdict: { type: 'failed' } })])
    assert.equal(await rowsOf(item), 1)
    assert.deepEqual(await numbersOf(of, item), [1, 2])
    assert.equal((await shownOf(of, item))?.attempts[0]?.responseBody, 'taken')
  })

  test('beside failures of the same batch it is kept in the same way', async () => {
    const of = await scene()
    const [item, other] = [await newItem(of), await newItem(of)]
    await store.record([success(of, item), retry(of, other)])
    assert.deepEqual([await rowsOf(item), await rowsOf(other)], [0, 1])
    await store.record([success(of, { ...other, attemptNumber: 2 })])
    assert.equal(await rowsOf(other), 2)
    assert.deepEqual([await numbersOf(of, item), await numbersOf(of, other)], [[1], [1, 2]])
  })

  test('one that waited has a row of its own, so that it is found at the time at which it was made', async () => {
    const of = await scene()
    const item = await newItem(of)
    await store.record([{ ...success(of, item), startedAt: new Date(Date.now() + 61_000) }])
    assert.equal(await rowsOf(item), 1)
    assert.deepEqual(await numbersOf(of, item), [1])
  })

  test('what a gateway of the release before has written is not written again', async () => {
    const of = await scene()
    const item = await newItem(of)
    await sql`update deliveries set state = 'DELIVERED', attempt_count = 1 where id = ${item.deliveryId}`
    await sql`
      insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, duration_ms)
      values (new_uuid(), ${of.workspaceId}, ${item.deliveryId}, ${of.endpointId}, 1, now(), 200, 9)`
    await store.record([success(of, item)])
    assert.deepEqual(await numbersOf(of, item), [1])
    assert.equal((await shownOf(of, item))?.lastAttempt?.durationMs, 9)
  })

  test('a failure that is retried says when, and keeps the answer byte for byte', async () => {
    const of = await scene()
    const item = await newItem(of)
    const recorded = await store.record([retry(of, item)])
    assert.deepEqual(recorded.retries, [
      { deliveryId: item.deliveryId, endpointId: of.endpointId, attemptNumber: 2, delayMs: 60_000 },
    ])
    const row = await deliveryOf(item)
    assert.equal(row['state'], 'RETRYING')
    assert.equal(row['attemptCount'], 1)
    const [attempt] = await sql`
      select number, status_code, duration_ms, response_headers, response_body
      from attempts where delivery_id = ${item.deliveryId}`
    assert.deepEqual(attempt, {
      number: 1,
      statusCode: 503,
      durationMs: 7,
      responseHeaders: { 'content-type': 'text/plain' },
      responseBody: Buffer.from([0, 255, 1]),
    })
  })

  test('the same attempt recorded twice counts once', async () => {
    const of = await scene()
    const item = await newItem(of)
    await store.record([retry(of, item)])
    await store.record([retry(of, item)])
    assert.equal((await deliveryOf(item))['attemptCount'], 1)
    assert.equal((await sql`select from attempts where delivery_id = ${item.deliveryId}`).count, 1)
  })

  test('the twentieth failure in a row switches off, once, and what waited is held', async () => {
    const of = await scene(19)
    const [item, other] = [await newItem(of), await newItem(of)]
    const recorded = await store.record([retry(of, item), retry(of, other)])
    assert.deepEqual(recorded.endpoints, [
      { id: of.endpointId, enabled: false, consecutiveFailures: 20, failuresBefore: 18, switchedOff: true },
    ])
    assert.deepEqual(recorded.retries, [])
    assert.equal((await deliveryOf(item))['state'], 'HELD')
    assert.deepEqual(await endpointOf(of), {
      enabled: false,
      consecutiveFailures: 20,
      disabledReason: 'FAILURES',
    })
    const again = await store.record([retry(of, await heldItem(of))])
    assert.equal(again.endpoints[0]?.switchedOff, false)
    const audit = await sql`select from audit where subject_id = ${of.endpointId}`
    assert.equal(audit.count, 1)
  })

  test('two processes that record the last failures at the same time switch off exactly once', async () => {
    const of = await scene(18)
    const items = await Promise.all(Array.from({ length: 6 }, () => newItem(of)))
    const recorded = await Promise.all(items.map((item) => store.record([retry(of, item)])))
    assert.equal(recorded.filter((one) => one.endpoints[0]?.switchedOff).length, 1)
    assert.equal((await endpointOf(of))['consecutiveFailures'], 20)
    assert.equal((await sql`select from audit where subject_id = ${of.endpointId}`).count, 1)
  })

  test('a success among the failures of one batch starts the count anew', async () => {
    const of = await scene(18)
    const [one, two, three] = [await newItem(of), await newItem(of), await newItem(of)]
    await store.record([retry(of, one), success(of, two), retry(of, three)])
    assert.deepEqual(await endpointOf(of), { enabled: true, consecutiveFailures: 1, disabledReason: null })
  })

  test('a replay asked for while an attempt is on the wire follows it, and is not its retry', async () => {
    const of = await scene()
    const item = await newItem(of)
    await sql`update deliveries set replay = true, next_attempt_at = now() - interval '1 second' where id = ${item.deliveryId}`
    const recorded = await store.record([retry(of, item)])
    assert.deepEqual(recorded.retries, [])
    const [row] = await sql`
      select state, replay, attempt_count, finished_at, ${isDue(sql, 'next_attempt_at')} as is_due
      from deliveries where id = ${item.deliveryId}`
    assert.deepEqual(row, { state: 'PENDING', replay: true, attemptCount: 1, finishedAt: null, isDue: true })
    const again = { ...item, attemptNumber: 2, replay: true }
    await store.record([recordOf(of, again, { report: refused, verdict: { type: 'failed' } })])
    const [ended] =
      await sql`select state, replay, attempt_count from deliveries where id = ${item.deliveryId}`
    assert.deepEqual(ended, { state: 'FAILED', replay: false, attemptCount: 2 })
  })

  test('a replay asked for while an attempt is on the wire is moot where that attempt succeeds', async () => {
    const of = await scene()
    const item = await newItem(of)
    await sql`update deliveries set replay = true where id = ${item.deliveryId}`
    await store.record([success(of, item)])
    assert.equal((await deliveryOf(item))['state'], 'DELIVERED')
  })
})

async function heldItem(of: Scene): Promise<QueuedItem> {
  await sql`update endpoints set enabled = true where id = ${of.endpointId}`
  const item = await newItem(of)
  await sql`update endpoints set enabled = false where id = ${of.endpointId}`
  return item
}
