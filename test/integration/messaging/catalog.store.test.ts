import assert from 'node:assert/strict'
import * as v from 'valibot'
import { numberView, templateView } from '../../../src/api/schemas/catalog.ts'
import type { ProviderTemplate } from '../../../src/contract/provider.ts'
import { createNumberReader } from '../../../src/messaging/store/numbers.store.ts'
import { createTemplateStore } from '../../../src/messaging/store/templates.store.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { endpoint, number, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const sql = testPool(await testDatabase())
const templates = createTemplateStore(sql)
const numbers = createNumberReader(sql)

const template = (change: Partial<ProviderTemplate> = {}): ProviderTemplate => ({
  providerTemplateId: '1689',
  name: 'order_ready',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  parameterFormat: 'NAMED',
  components: [{ type: 'BODY', text: 'Hi {{first_name}}', example: { body_text_named_params: [] } }],
  rejectedReason: null,
  ...change,
})

describe('templates', () => {
  test('a synced template is listed with its components as they came and its variables', async () => {
    const ws = await workspace(sql)
    await templates.upsert(ws, [template()])
    const [record] = (await templates.list(ws, {}, { limit: 50 })).data
    assert.deepEqual(record?.components, template().components)
    assert.deepEqual(record?.variables, [{ name: 'first_name', example: null, in: 'BODY', kind: 'TEXT' }])
    assert.deepEqual(v.parse(templateView, record), record)
    const found = await templates.find(ws, 'order_ready', 'en_US')
    assert.equal(found?.parameterFormat, 'NAMED')
    assert.equal(record?.id, encodeId('template', found?.id ?? ''))
  })

  test('a further sync keeps the id, takes the changes, and touches what did not change not at all', async () => {
    const ws = await workspace(sql)
    await templates.upsert(ws, [template(), template({ language: 'de' })])
    const before = [
      await templates.find(ws, 'order_ready', 'en_US'),
      await templates.find(ws, 'order_ready', 'de'),
    ]
    await templates.upsert(ws, [template({ status: 'PAUSED' }), template({ language: 'de' })])
    const [english, german] = [
      await templates.find(ws, 'order_ready', 'en_US'),
      await templates.find(ws, 'order_ready', 'de'),
    ]
    assert.deepEqual([english?.id, english?.status], [before[0]?.id, 'PAUSED'])
    assert.deepEqual(german, before[1])
    await templates.upsert(ws, [])
    assert.equal((await templates.list(ws, {}, { limit: 50 })).data.length, 2)
  })

  test('every filter keeps what it names, and no other workspace is seen', async () => {
    const ws = await workspace(sql)
    await templates.upsert(ws, [
      template(),
      template({
        name: 'other',
        language: 'de',
        status: 'REJECTED',
        category: 'MARKETING',
        rejectedReason: 'SCAM',
      }),
    ])
    await templates.upsert(await workspace(sql), [template()])
    const filters = [
      { name: 'order_ready' },
      { language: 'en_US' },
      { status: 'APPROVED' },
      { category: 'UTILITY' },
    ] as const
    for (const filter of filters) {
      const page = await templates.list(ws, filter, { limit: 50 })
      assert.deepEqual(
        page.data.map(({ name }) => name),
        ['order_ready'],
        JSON.stringify(filter),
      )
    }
    assert.equal(await templates.find(ws, 'order_ready', 'de'), undefined)
    const first = await templates.list(ws, {}, { limit: 1 })
    const second = await templates.list(ws, {}, { limit: 1, after: first.next })
    assert.equal(new Set([...first.data, ...second.data].map(({ id }) => id)).size, 2)
    assert.equal(second.next, undefined)
  })
})

describe('numbers', () => {
  test('a number is listed with where its replies go', async () => {
    const ws = await workspace(sql)
    const routed = await number(sql, ws)
    const plain = await number(sql, ws)
    await number(sql, await workspace(sql))
    const endpointId = await endpoint(sql, ws)
    await sql`update numbers set endpoint_id = ${endpointId}, forward_calls = true, is_default = true where id = ${routed.id}`
    const { data } = await numbers.list(ws, { limit: 50 })
    assert.deepEqual(
      data.map(({ number: text, isDefault, forwardCalls, replyRouting }) => [
        text,
        isDefault,
        forwardCalls,
        replyRouting,
      ]),
      [
        [plain.number, false, false, null],
        [routed.number, true, true, { endpointId: encodeId('endpoint', endpointId), endpointName: 'CRM' }],
      ],
    )
    for (const record of data) assert.deepEqual(v.parse(numberView, record), record)
  })
})
