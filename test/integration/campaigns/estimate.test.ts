import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { draft, node, offer, putInto, rowsOf, tenantWithKey } from './world.ts'

const sql = testPool(await testDatabase(), 4)
const as = await node(sql)

async function world() {
  const tenant = await tenantWithKey(sql)
  const send = as(tenant.key)
  const estimate = async (id: string) => (await send('GET', `/campaigns/${id}/estimate`)).json
  return { tenant, send, estimate }
}

describe('GET /campaigns/:id/estimate', () => {
  test('counts those who are pending, at the rate that its number leaves', async () => {
    const { tenant, send, estimate } = await world()
    await sql`update numbers set messages_per_second = 50 where id = ${tenant.numberId}`
    const id = await draft(send, { template: offer, variables: { first_name: 'Ines', code: 'A1' } })
    const { warnings } = await estimate(id)
    assert.deepEqual(
      warnings.map(({ code }: { code: string }) => code),
      ['NO_RECIPIENTS', 'TEMPLATE_NOT_APPROVED'],
    )
    await send('POST', `/campaigns/${id}/recipients`, { recipients: rowsOf(0, 400) })
    const { startsAt, endsAt, ...rest } = await estimate(id)
    assert.deepEqual(
      { ...rest, warnings: rest.warnings.length },
      { recipients: 400, messagesPerSecond: 40, limitedBy: 'NUMBER_RATE', seconds: 10, warnings: 1 },
    )
    assert.equal(Date.parse(endsAt) - Date.parse(startsAt), 10_000)
  })

  test('sees what else runs from its number, and nothing of other workspaces', async () => {
    const { tenant, send, estimate } = await world()
    const id = await draft(send)
    const other = await draft(send, { messagesPerSecond: 14 })
    await putInto(sql, other, 'RUNNING')
    await sql`update numbers set messages_per_second = 80 where id = ${tenant.numberId}`
    const shared = await estimate(id)
    assert.deepEqual([shared.messagesPerSecond, shared.limitedBy], [50, 'OTHER_CAMPAIGNS'])
    await putInto(sql, other, 'PAUSED')
    assert.equal((await estimate(id)).messagesPerSecond, 64)
    const stranger = as((await tenantWithKey(sql)).key)
    assert.equal((await stranger('GET', `/campaigns/${id}/estimate`)).status, 404)
  })
})
