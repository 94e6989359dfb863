import assert from 'node:assert/strict'
import * as v from 'valibot'
import { recipientView } from '../../../src/api/schemas/campaigns.ts'
import { pageOf } from '../../../src/api/schemas/fields.ts'
import { limits } from '../../../src/contract/limits.ts'
import { campaignStatuses } from '../../../src/contract/records/campaign.ts'
import { addressForm } from '../../../src/shared/address.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { assertCounts, draft, node, offer, phone, putInto, rowsOf, tenantWithKey, uuidOf } from './world.ts'

const sql = testPool(await testDatabase(), 8)
const as = await node(sql)

async function world(fields: object = {}) {
  const tenant = await tenantWithKey(sql)
  const send = as(tenant.key)
  const id = await draft(send, fields)
  const path = `/campaigns/${id}/recipients`
  return {
    ...{ tenant, send, id, path },
    add: (recipients: readonly object[]) => send('POST', path, { recipients }),
    upload: (text: string) => send('POST', path, text, { 'content-type': 'text/csv' }),
    all: async () => (await send('GET', `${path}?limit=200`)).json.data,
  }
}

/** The expected answer when nothing but `fields` happened. */
const sums = (fields: object) => ({
  ...{ added: 0, duplicates: 0, skipped: 0, invalid: [], invalidCount: 0 },
  ...fields,
})

const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x']))

describe('adding', () => {
  test('adds the good rows, counts repeats and names the others', async () => {
    const { send, id, add, all } = await world({ template: offer, variables: { code: 'A1' } })
    const row = (to: string, variables: object = { first_name: 'Ines' }) => ({ to, variables })
    const { status, json } = await add([
      row('+15551230001'),
      row('15551230002'),
      row('+15551230001', { first_name: 'Jo' }),
      { to: '+15551230003' },
      row('+15551230004', { first_name: 'Jo', code: 'B2' }),
      row('+15551230005', { first_name: '', cod: 'x' }),
      row('+15551230006', { first_name: 'x'.repeat(limits.variableValueLength + 1) }),
      row('+15551230099', { first_name: '😀'.repeat(limits.variableValueLength) }),
    ])
    assert.equal(status, 200)
    assert.deepEqual(json, {
      added: 3,
      duplicates: 1,
      skipped: 0,
      invalidCount: 4,
      invalid: [
        {
          index: 1,
          to: '15551230002',
          message: `to must be ${addressForm}`,
        },
        { index: 3, to: '+15551230003', message: 'missing variables: first_name' },
        {
          index: 5,
          to: '+15551230005',
          message: 'missing variables: first_name; unexpected variables: cod',
        },
        { index: 6, to: '+15551230006', message: 'first_name must be at most 4096 characters long' },
      ],
    })
    const rows = (await all()).map(({ to, variables, status: state }: Record<string, unknown>) => [
      ...[to, variables, state],
    ])
    assert.deepEqual(rows, [
      ['15551230001', { first_name: 'Ines' }, 'PENDING'],
      ['15551230004', { first_name: 'Jo', code: 'B2' }, 'PENDING'],
      ['15551230099', { first_name: '😀'.repeat(limits.variableValueLength) }, 'PENDING'],
    ])
    const again = await add([row('+15551230004'), row('+15551230007')])
    assert.deepEqual(again.json, sums({ added: 1, duplicates: 1 }))
    assert.equal((await assertCounts(sql, send, id)).total, 4)
  })

  test('skips who has opted out, and keeps them for the report', async () => {
    const { tenant, send, id, add, all } = await world()
    for (const [waId, state] of [
      ['15551230001', 'opted-out'],
      ['15551230002', 'opted-in'],
    ])
      await sql`
        insert into contacts (id, workspace_id, wa_id, opt_state)
        values (gen_random_uuid(), ${tenant.workspaceId}, ${waId ?? ''}, ${state ?? ''})`
    const { json } = await add([1, 2, 3].map((last) => ({ to: `+1555123000${last}` })))
    assert.deepEqual(json, sums({ added: 2, skipped: 1 }))
    const states = (await all()).map((row: Record<string, unknown>) => [row['status'], row['skippedReason']])
    assert.deepEqual(states, [
      ['SKIPPED', 'OPTED_OUT'],
      ['PENDING', null],
      ['PENDING', null],
    ])
    const { total, pending, skipped } = await assertCounts(sql, send, id)
    assert.deepEqual([total, pending, skipped], [3, 2, 1])
    // The first request skipped it, so the row exists already.
    assert.deepEqual((await add([{ to: '+15551230001' }])).json, sums({ duplicates: 1 }))
  })

  test('is for campaigns that have not ended, and names the state of one that has', async () => {
    const { send, id, add } = await world()
    for (const [index, status] of campaignStatuses.entries()) {
      await putInto(sql, id, status)
      const { status: code, json } = await add([{ to: phone(index) }])
      const isOpen = !['COMPLETED', 'CANCELLED'].includes(status)
      assert.equal(code, isOpen ? 200 : 409, status)
      if (!isOpen) assert.match(json.error.message, new RegExp(`is ${status}\\b`))
    }
    assert.equal((await assertCounts(sql, send, id)).total, 4)
  })

  test('adds nothing of a call that is refused', async () => {
    const { send, id, path, add } = await world()
    const good = { to: '+15551230001' }
    const bad: readonly [unknown, path: string][] = [
      [{}, 'recipients'],
      [{ recipients: [good, { variables: {} }] }, 'recipients.1.to'],
      [{ recipients: [good, { to: '+15551230002', variables: { a: 1 } }] }, 'recipients.1.variables'],
      [{ recipients: [{ to: '+15551230002', variables: { '': 'x' } }] }, 'recipients.0.variables'],
      [{ recipients: [{ to: '+15551230002', variables: ['x'] }] }, 'recipients.0.variables'],
      [{ recipients: [{ to: '+15551230002', variables: named(101) }] }, 'recipients.0.variables'],
      [{ recipients: Array(1_000_000).fill(0) }, 'recipients'],
      [{ recipients: [good, { to: '+15551230002', name: 'Ines' }] }, 'recipients.1.name'],
      [{ recipients: [good, { to: '+15551230002', variables: { a: '\0' } }] }, 'recipients.1.variables.a'],
      [{ recipients: [good], dryRun: true }, 'dryRun'],
      [{ recipients: rowsOf(0, limits.recipientsPerCall + 1) }, 'recipients'],
    ]
    for (const [body, at] of bad) {
      const { status, json } = await send('POST', path, body)
      assert.deepEqual([status, json.error.details?.[0]?.path], [400, at])
    }
    assert.deepEqual((await add([])).json, sums({}))
    assert.equal((await assertCounts(sql, send, id)).total, 0)
  })

  test('refuses a body of more than 8 MiB, and takes one just below', async () => {
    const { send, id, path } = await world()
    const row = JSON.stringify({ recipients: [{ to: '+15551230001' }] })
    const sized = (bytes: number) => row + ' '.repeat(bytes - row.length)
    assert.equal((await send('POST', path, sized(limits.recipientsBodyBytes))).json.added, 1)
    const { status, json } = await send('POST', path, sized(limits.recipientsBodyBytes + 1))
    assert.deepEqual([status, json.error.code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.equal((await assertCounts(sql, send, id)).total, 1)
  })
})

describe('adding as CSV', () => {
  test('takes a header row and a row a recipient; an empty cell leaves the default', async () => {
    const { send, id, upload, all } = await world({ template: offer, variables: { code: 'A1' } })
    const text = '\ufeffto,first_name,code\r\n+15551230001,"Ines, ""I""",\r\n+15551230002,Jo,B2\r\nx,,\r\n'
    const { status, json } = await upload(text)
    assert.equal(status, 200)
    assert.deepEqual([json.added, json.duplicates, json.invalid[0].index], [2, 0, 2])
    const variables = (await all()).map((row: { variables: object }) => row.variables)
    assert.deepEqual(variables, [{ first_name: 'Ines, "I"' }, { first_name: 'Jo', code: 'B2' }])
    assert.equal((await assertCounts(sql, send, id)).total, 2)
  })

  test('takes the media type with a charset of UTF-8, and no other type', async () => {
    const { send, path } = await world()
    const type = (text: string) => send('POST', path, 'to\n+15551230001\n', { 'content-type': text })
    for (const text of ['text/csv', 'Text/CSV; charset=utf-8'])
      assert.equal((await type(text)).status, 200, text)
    for (const text of ['text/csv; charset=latin1', 'text/plain', 'text/csvx', 'application/csv', '']) {
      const { status, json } = await type(text)
      assert.deepEqual([status, json.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], text)
    }
    const elsewhere = await send('POST', '/campaigns', 'name\nx\n', { 'content-type': 'text/csv' })
    assert.equal(elsewhere.status, 415)
  })

  test('adds nothing of a file whose header is not one', async () => {
    const { send, id, upload } = await world()
    for (const text of ['', 'name\n+15551230001\n', 'to,to\n', 'phone,mobile\n', '"to\n+15551230001\n']) {
      const { status, json } = await upload(text)
      assert.deepEqual(
        [status, json.error.code, json.error.details[0].path],
        [400, 'VALIDATION_ERROR', 'line 1'],
      )
    }
    assert.equal((await assertCounts(sql, send, id)).total, 0)
  })
})

describe('GET /campaigns/:id/recipients', () => {
  test('pages in the order of adding, also while more are added', async () => {
    const { send, path, add } = await world()
    const rows = rowsOf(0, 25).reverse()
    await add(rows)
    const seen: string[] = []
    for (let next: string | undefined = `${path}?limit=10`; next; ) {
      const { json } = await send('GET', next)
      assert.deepEqual(v.parse(pageOf(recipientView), json), json)
      seen.push(...json.data.map(({ to }: { to: string }) => `+${to}`))
      if (seen.length === 10) await add(rowsOf(100, 3))
      next = json.nextCursor === null ? undefined : `${path}?limit=10&cursor=${json.nextCursor}`
    }
    assert.deepEqual(
      seen,
      [...rows, ...rowsOf(100, 3)].map(({ to }) => to),
    )
  })

  test('filters by status and by number, with or without a plus', async () => {
    const { send, id, path, add } = await world()
    await add(rowsOf(0, 3))
    await sql`
      update recipients set status = 'FAILED', error = ${sql.json({ code: '131026', title: 'Not deliverable' })}
      where campaign_id = ${uuidOf(id)} and wa_id = ${phone(1).slice(1)}`
    const found = async (query: string) => (await send('GET', `${path}?${query}`)).json.data
    const [failed, ...others] = await found('status=FAILED')
    assert.deepEqual([failed.to, failed.error.code, others], [phone(1).slice(1), '131026', []])
    for (const to of [phone(1), phone(1).slice(1), encodeURIComponent(phone(1))])
      assert.deepEqual(await found(`to=${to}`), [failed], to)
    assert.equal((await found('status=PENDING')).length, 2)
    assert.deepEqual(await found(`status=PENDING&to=${phone(1)}`), [])
    for (const query of ['status=pending', 'to=x', 'messageId=1', 'limit=201', 'cursor=x'])
      assert.equal((await send('GET', `${path}?${query}`)).status, 400, query)
  })
})

describe('removing', () => {
  test('takes ids, numbers or all, and only who is PENDING goes', async () => {
    const { send, id, path, add, all } = await world()
    await add(rowsOf(0, 10))
    const rows: { id: string; to: string }[] = await all()
    await sql`
      update recipients set status = 'SENT' where campaign_id = ${uuidOf(id)} and wa_id = ${phone(0).slice(1)}`
    const remove = async (body: unknown) => (await send('DELETE', path, body)).json.removed
    assert.equal(await remove({ ids: rows.slice(0, 3).map((row) => row.id) }), 2)
    assert.equal(await remove({ to: [phone(0), phone(3), phone(4).slice(1), phone(99)] }), 2)
    assert.equal(await remove({ ids: [] }), 0)
    assert.equal((await assertCounts(sql, send, id)).pending, 5)
    assert.equal(await remove({ all: true }), 5)
    assert.equal(await remove({ all: true }), 0)
    const { total, pending, sent } = await assertCounts(sql, send, id)
    assert.deepEqual([total, pending, sent], [1, 0, 1])
    assert.equal((await add(rowsOf(3, 1))).json.added, 1)
  })

  test('never reaches into another campaign', async () => {
    const [own, other] = [await world(), await world()]
    await own.add(rowsOf(0, 1))
    const ids = (await own.all()).map((row: { id: string }) => row.id)
    assert.equal((await other.send('DELETE', other.path, { ids })).json.removed, 0)
    assert.equal((await assertCounts(sql, own.send, own.id)).total, 1)
  })

  test('is for campaigns that are neither running nor over, and names the state', async () => {
    const { send, id, path } = await world()
    for (const status of campaignStatuses) {
      await putInto(sql, id, status)
      const answer = await send('DELETE', path, { all: true })
      const isOpen = ['DRAFT', 'SCHEDULED', 'PAUSED'].includes(status)
      assert.equal(answer.status, isOpen ? 200 : 409, status)
      if (!isOpen) assert.match(answer.json.error.message, new RegExp(`is ${status}\\b`))
    }
  })

  test('takes exactly one choice, of the right form', async () => {
    const { send, path } = await world()
    const many = Array.from({ length: limits.removalsPerCall + 1 }, (_, index) => phone(index))
    const bad: readonly [unknown, path: string][] = [
      [{}, 'body'],
      [{ all: true, to: [] }, 'body'],
      [{ all: false }, 'all'],
      [{ ids: ['rcp_1'] }, 'ids.0'],
      [{ to: ['x'] }, 'to.0'],
      [{ to: phone(1) }, 'to'],
      [{ to: many }, 'to'],
      [{ everybody: true }, 'everybody'],
      [[], 'body'],
    ]
    for (const [body, at] of bad) {
      const { status, json } = await send('DELETE', path, body)
      assert.deepEqual([status, json.error.details?.[0]?.path], [400, at], JSON.stringify(body).slice(0, 80))
    }
  })
})
