import assert from 'node:assert/strict'
import { limits } from '../../../src/contract/limits.ts'
import { cellsOf } from '../../support/csv.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { gateway } from '../api/gateway.ts'
import { serve } from '../platform/http/servers.ts'
import { assertCounts, draft, node, offer, phone, putInto, rowsOf, tenantWithKey } from './world.ts'

const database = await testDatabase()
const sql = testPool(database, 8)
const as = await node(sql)
const csvType = 'text/csv'
const linesType = 'application/x-ndjson'

async function world(fields: object = {}) {
  const tenant = await tenantWithKey(sql)
  const send = as(tenant.key)
  const id = await draft(send, fields)
  const path = `/campaigns/${id}/recipients`
  const upload = (type: string, text: string, query = '', accept = 'application/json') =>
    send('POST', `${path}${query}`, text, { 'content-type': type, accept })
  const verdicts = async (type: string, text: string, query = '') => {
    const { status, text: answer } = await upload(type, text, query, linesType)
    assert.equal(status, 200, answer)
    return answer
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  return { tenant, send, id, path, upload, verdicts }
}

const csvOf = (rows: readonly { to: string }[]) => `to\n${rows.map(({ to }) => `${to}\n`).join('')}`
const linesOf = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const sums = (fields: object = {}) => ({ added: 0, duplicates: 0, skipped: 0, invalid: 0, ...fields })

async function optOut(workspaceId: string, waId: string): Promise<void> {
  await sql`
    insert into contacts (id, workspace_id, wa_id, opt_state)
    values (gen_random_uuid(), ${workspaceId}, ${waId}, 'opted-out')`
}

describe('an upload of many batches', () => {
  const count = limits.recipientsPerBatch * 6 + 7

  for (const [type, textOf] of [
    [csvType, csvOf],
    [linesType, linesOf],
  ] as const) {
    test(`adds every row once in the order of ${type}, and none when it is repeated`, async () => {
      const { send, id, path, upload } = await world()
      const rows = rowsOf(0, count)
      const { status, json } = await upload(type, textOf(rows))
      assert.equal(status, 200, JSON.stringify(json))
      assert.deepEqual(json, { ...sums({ added: count }), invalid: [], invalidCount: 0 })
      assert.equal((await upload(type, textOf(rows))).json.duplicates, count)
      assert.equal((await assertCounts(sql, send, id)).pending, count)
      const report = await send('GET', path, undefined, { accept: csvType })
      const numbers = (await cellsOf(report.text)).rows.map((row) => `+${row[1]}`)
      assert.deepEqual(
        numbers,
        rows.map(({ to }) => to),
      )
    })
  }

  test('lists the first thousand invalid rows and counts all', async () => {
    const { upload } = await world()
    const { json } = await upload(csvType, `to\n${'x\n'.repeat(2_500)}${phone(1)}\n`)
    assert.deepEqual(
      [json.added, json.invalidCount, json.invalid.length],
      [1, 2_500, limits.invalidRowsListed],
    )
    assert.deepEqual([json.invalid[0].index, json.invalid[999].index], [0, 999])
  })
})

describe('a verdict a row', () => {
  test('says of each what became of it, and sums up', async () => {
    const { tenant, send, id, verdicts } = await world({ template: offer, variables: { code: 'A1' } })
    await optOut(tenant.workspaceId, phone(2).slice(1))
    const row = (index: number, variables: object = { first_name: 'Ines' }) => ({
      to: phone(index),
      variables,
    })
    const rows = [row(1), row(2), row(1), row(3, {}), row(2), row(4)]
    const lines = await verdicts(linesType, `${linesOf(rows)}oops\n`)
    assert.deepEqual(lines, [
      { index: 0, to: phone(1), verdict: 'added' },
      { index: 1, to: phone(2), verdict: 'skipped' },
      { index: 2, to: phone(1), verdict: 'duplicate' },
      { index: 3, to: phone(3), verdict: 'invalid', message: 'missing variables: first_name' },
      { index: 4, to: phone(2), verdict: 'duplicate' },
      { index: 5, to: phone(4), verdict: 'added' },
      { index: 6, to: '', verdict: 'invalid', message: 'must be JSON' },
      { summary: sums({ added: 2, skipped: 1, duplicates: 2, invalid: 2 }) },
    ])
    const { pending, skipped } = await assertCounts(sql, send, id)
    assert.deepEqual([pending, skipped], [2, 1])
  })

  test('is to be had of JSON as well, and of nobody', async () => {
    const { verdicts } = await world()
    const lines = await verdicts('application/json', JSON.stringify({ recipients: rowsOf(0, 2) }))
    assert.deepEqual(
      lines.map((line) => line.verdict ?? line.summary.added),
      ['added', 'added', 2],
    )
    assert.deepEqual(await verdicts(linesType, ''), [{ summary: sums() }])
  })

  test('ends with the error that the upload ends with', async () => {
    const { send, id, verdicts } = await world()
    const rows = rowsOf(0, limits.recipientsPerBatch + 5)
    const lines = await verdicts(csvType, `${csvOf(rows)}"${phone(9_999)}`)
    const { error } = lines.at(-1)
    assert.equal(lines.length, rows.length + 1)
    assert.equal(error.code, 'VALIDATION_ERROR')
    assert.match(
      error.message,
      /has a quote that is not closed; of the first 2005 rows 2005 were added and stay/,
    )
    assert.equal(typeof error.requestId, 'string')
    assert.equal((await assertCounts(sql, send, id)).total, rows.length)
  })

  test('is no answer to what is refused at once: that has its status', async () => {
    const { send, id, path, upload } = await world()
    const refused: readonly [type: string, text: string, query: string, status: number][] = [
      [csvType, 'name\nx\n', '', 400],
      [csvType, csvOf(rowsOf(0, 1)), '?dryrun=true', 400],
      [csvType, csvOf(rowsOf(0, 1)), '?dryRun=yes', 400],
      ['text/plain', 'x', '', 415],
    ]
    for (const [type, text, query, status] of refused)
      assert.equal((await upload(type, text, query, linesType)).status, status, text)
    await putInto(sql, id, 'CANCELLED')
    assert.equal((await upload(csvType, csvOf(rowsOf(0, 1)), '', linesType)).status, 409)
    const stranger = as((await tenantWithKey(sql)).key)
    const foreign = await stranger('POST', path, csvOf(rowsOf(0, 1)), { 'content-type': csvType })
    assert.equal(foreign.status, 404)
    assert.equal((await assertCounts(sql, send, id)).total, 0)
  })
})

describe('a dry run', () => {
  for (const [type, textOf] of [
    [csvType, csvOf],
    [linesType, linesOf],
    ['application/json', (rows: readonly object[]) => JSON.stringify({ recipients: rows })],
  ] as const) {
    test(`says of ${type} what would happen, and nothing does`, async () => {
      const { tenant, send, id, verdicts } = await world()
      await optOut(tenant.workspaceId, phone(1).slice(1))
      await send('POST', `/campaigns/${id}/recipients`, { recipients: rowsOf(2, 1) })
      const rows = [
        ...rowsOf(0, 3),
        ...rowsOf(0, 1),
        ...[{ to: 'x' }, { to: 'US.7001' }, { to: 'US.7002' }],
        ...rowsOf(3, limits.recipientsPerBatch),
        ...[...rowsOf(0, 2), { to: 'US.7001' }, { to: 'US.7003' }],
      ]
      const text = textOf(rows)
      const dry = await verdicts(type, text, '?dryRun=true')
      assert.equal((await assertCounts(sql, send, id)).total, 1)
      const real = await verdicts(type, text)
      assert.deepEqual(dry, real)
      assert.deepEqual(dry.at(-1), {
        summary: sums({ added: limits.recipientsPerBatch + 4, duplicates: 5, skipped: 1, invalid: 1 }),
      })
    })
  }
})

describe('uploads at the same time', () => {
  test('of overlapping files add each number once, and none waits for another forever', async () => {
    const { send, id, upload } = await world()
    const rows = rowsOf(0, 9_000)
    const files = [0, 1, 2, 3].map((index) => {
      const part = rows.slice(index * 1_000, index * 1_000 + 6_000)
      return index % 2 === 0 ? part : part.reverse()
    })
    const answers = await Promise.all(
      files.map((file, index) =>
        upload(index % 2 === 0 ? csvType : linesType, index % 2 === 0 ? csvOf(file) : linesOf(file)),
      ),
    )
    for (const { status, json } of answers) {
      assert.equal(status, 200, JSON.stringify(json))
      assert.equal(json.added + json.duplicates, 6_000)
    }
    assert.equal(
      answers.reduce((sum, { json }) => sum + json.added, 0),
      9_000,
    )
    assert.equal((await assertCounts(sql, send, id)).total, 9_000)
  })

  test('have so many places a workspace, which those who leave give back', async () => {
    const { tenant, path } = await world()
    const { url, server } = await serve(gateway(sql).handler)
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': csvType }
    const post = (body: string | ReadableStream, signal?: AbortSignal) =>
      fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body, signal, duplex: 'half' } as RequestInit)
    const complete = async () => (await post(csvOf(rowsOf(0, 1)))).status
    const stop = new AbortController()
    const uploads = Array.from({ length: limits.uploadsAtOnce.perWorkspace }, () => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('to\n')) })
      return post(body, stop.signal)
    })
    const ended = Promise.allSettled(uploads)
    while ((await complete()) !== 429);
    stop.abort()
    await ended
    while (server.inFlight() > 0) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await complete(), 200)
  })
})

describe('the report as JSON a line', () => {
  test('holds every recipient as the list has it, whatever the filters leave', async () => {
    const { send, path, upload } = await world()
    await upload(csvType, csvOf(rowsOf(0, 2_500)))
    const report = async (query: string) => {
      const { status, text, headers } = await send('GET', `${path}${query}`, undefined, { accept: linesType })
      assert.deepEqual([status, headers.get('content-type')], [200, linesType], text)
      return text === ''
        ? []
        : text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
    }
    const all = await report('')
    assert.equal(all.length, 2_500)
    assert.deepEqual(all.slice(0, 200), (await send('GET', `${path}?limit=200`)).json.data)
    assert.deepEqual(await report(`?to=${phone(7)}`), all.slice(7, 8))
    assert.deepEqual(await report('?status=FAILED'), [])
    const { status } = await send('GET', `${path}?limit=1`, undefined, { accept: linesType })
    assert.equal(status, 400)
  })
})
