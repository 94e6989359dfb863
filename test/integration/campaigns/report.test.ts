import assert from 'node:assert/strict'
import { createRecipientReader } from '../../../src/campaigns/store/recipients-read.store.ts'
import type { CampaignId, WorkspaceId } from '../../../src/shared/ids.ts'
import { cellsOf as parse } from '../../support/csv.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { draft, node, phone, rowsOf, tenantWithKey, uuidOf } from './world.ts'

const sql = testPool(await testDatabase(), 8)
const as = await node(sql)

async function world(count: number) {
  const { key } = await tenantWithKey(sql)
  const send = as(key)
  const id = await draft(send)
  const path = `/campaigns/${id}/recipients`
  await send('POST', path, { recipients: rowsOf(0, count) })
  const report = (query = '', accept = 'text/csv') => send('GET', `${path}${query}`, undefined, { accept })
  return { send, id, path, report }
}

describe('the report as CSV', () => {
  test('holds all recipients over many batches, in the order of adding, as the list has them', async () => {
    const { send, path, report } = await world(2_500)
    const { status, text, headers } = await report()
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.ok(headers.get('x-request-id') && headers.get('ratelimit'))
    const { header, rows } = await parse(text)
    assert.equal(
      header.join(),
      'id,to,status,messageId,errorCode,errorTitle,skippedReason,repliedAt,updatedAt,variables,' +
        'errorSubcode,errorDetails,errorTraceId,userId',
    )
    assert.deepEqual(
      rows.map((row) => `+${row[1]}`),
      rowsOf(0, 2_500).map(({ to }) => to),
    )
    const { json } = await send('GET', `${path}?limit=200`)
    assert.deepEqual(
      json.data.map(({ id, updatedAt }: Record<string, unknown>) => [id, updatedAt]),
      rows.slice(0, 200).map((row) => [row[0], row[8]]),
    )
  })

  test('of a batch that ends with the last recipient, and of nobody, is whole', async () => {
    for (const count of [0, 16, 1_016, 1_017]) {
      const { report } = await world(count)
      assert.equal((await parse((await report()).text)).rows.length, count)
    }
  })

  test('is read in batches of a mebibyte, however much each recipient has', async () => {
    const { id } = await world(60)
    const campaignId = uuidOf(id) as CampaignId
    const [row] = await sql<{ workspaceId: WorkspaceId }[]>`
      update recipients set variables = ${sql.json({ first_name: 'x'.repeat(60_000) })}
      where campaign_id = ${campaignId}
      returning workspace_id`
    const sizes: number[] = []
    const batches = createRecipientReader(sql).all(row?.workspaceId ?? assert.fail(), campaignId, {})
    for await (const batch of batches) sizes.push(batch.length)
    assert.deepEqual(sizes, [16, 17, 17, 10])
  })

  test('takes the filters and refuses what is only for pages', async () => {
    const { id, report } = await world(3)
    await sql`
      update recipients set status = 'FAILED', error = ${sql.json({ code: '1', title: '=HYPERLINK("x")' })}
      where campaign_id = ${uuidOf(id)} and wa_id = ${phone(1).slice(1)}`
    const { rows } = await parse((await report('?status=FAILED')).text)
    assert.deepEqual(
      rows.map((row) => row.slice(1, 6)),
      [[phone(1).slice(1), 'FAILED', '', '1', '\'=HYPERLINK("x")']],
    )
    assert.equal((await parse((await report(`?to=${phone(2)}`)).text)).rows.length, 1)
    for (const query of ['?limit=10', '?cursor=x', '?status=failed']) {
      const { status, json } = await report(query)
      assert.deepEqual([status, json.error.code], [400, 'VALIDATION_ERROR'], query)
    }
  })

  test('comes where text/csv is accepted, and JSON everywhere else', async () => {
    const { report } = await world(1)
    const typeFor = async (accept: string) =>
      (await report('', accept)).headers.get('content-type')?.split(';')[0]
    for (const accept of [
      'text/csv',
      'Text/CSV; header=present',
      'application/json;q=0.5, text/csv',
      'text/csv;q=0.9',
      'text/*',
      'text/csv, application/json',
      'application/json;q=0, */*',
    ])
      assert.equal(await typeFor(accept), 'text/csv', accept)
    for (const accept of [
      '*/*',
      'application/json',
      'text/csvx',
      'text/csv;q=0',
      'text/csv;q=0.5, application/json',
      'application/json, text/plain, */*',
      'image/png',
      'text/csv; q=0.0, */*',
    ])
      assert.equal(await typeFor(accept), 'application/json', accept)
  })

  test('of a campaign of somebody else is NOT_FOUND', async () => {
    const { path } = await world(1)
    const stranger = as((await tenantWithKey(sql)).key)
    assert.equal((await stranger('GET', path, undefined, { accept: 'text/csv' })).status, 404)
  })
})
