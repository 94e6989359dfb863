import assert from 'node:assert/strict'
import { limits } from '../../../src/contract/limits.ts'
import { cellsOf } from '../../support/csv.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { assertCounts, draft, node, offer, phone, type Send, tenantWithKey } from './world.ts'

const sql = testPool(await testDatabase(), 8)

const calls = 10
const total = calls * limits.recipientsPerCall
const perCall = limits.recipientsPerCall

const line = (index: number) => `${phone(index)},Ines ${index}`

describe('a campaign of 100,000', () => {
  let send: Send
  let id: string

  before(async () => {
    const { key } = await tenantWithKey(sql)
    send = (await node(sql))(key)
    id = await draft(send, { template: offer, variables: { code: 'A1' } })
  })

  test('is filled by ten calls at once, half of them CSV', async () => {
    const path = `/campaigns/${id}/recipients`
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, call) => {
        const indexes = Array.from({ length: perCall }, (_row, index) => call * perCall + index)
        if (call % 2 === 0)
          return send('POST', path, ['to,first_name', ...indexes.map(line)].join('\n'), {
            'content-type': 'text/csv',
          })
        const recipients = indexes.map((index) => ({
          to: phone(index),
          variables: { first_name: `Ines ${index}` },
        }))
        return send('POST', path, { recipients })
      }),
    )
    for (const { status, json } of answers)
      assert.deepEqual(
        [status, json],
        [200, { added: perCall, duplicates: 0, skipped: 0, invalid: [], invalidCount: 0 }],
      )
    const { pending } = await assertCounts(sql, send, id)
    assert.equal(pending, total)
  })

  test('is reported whole, each recipient once', async () => {
    const { status, text, headers } = await send('GET', `/campaigns/${id}/recipients`, undefined, {
      accept: 'text/csv',
    })
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
    const { header, rows } = await cellsOf(text)
    assert.equal(rows.length, total)
    assert.equal(new Set(rows.map((row) => row[header.indexOf('to')])).size, total)
    assert.ok(rows.every((row) => row[header.indexOf('status')] === 'PENDING'))
  })

  test('is emptied by one call', async () => {
    const { json } = await send('DELETE', `/campaigns/${id}/recipients`, { all: true })
    assert.deepEqual(json, { removed: total })
    assert.equal((await assertCounts(sql, send, id)).total, 0)
  })
})
