import assert from 'node:assert/strict'
import { pino } from 'pino'
import * as v from 'valibot'
import { previewView } from '../../../src/api/schemas/messages.ts'
import { createCampaignHooks } from '../../../src/campaigns/campaigns.module.ts'
import { scopes } from '../../../src/contract/scopes.ts'
import { createMessaging } from '../../../src/messaging/messaging.module.ts'
import { openBlobs } from '../../../src/platform/blobs/open-blobs.ts'
import { loadSettings } from '../../../src/platform/config/config.ts'
import { createCloudApi } from '../../../src/provider/outgoing/cloud-api.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { accounts, gateway } from './gateway.ts'

const sql = testPool(await testDatabase())
const log = pino({ level: 'silent' })

const messages = createMessaging({
  sql,
  accounts,
  campaigns: createCampaignHooks(sql, log),
  blobs: openBlobs(loadSettings({ DATA_DIR: '/nonexistent' })),
  // Nothing listens there: a preview sends the provider no request.
  provider: createCloudApi({ baseUrl: 'http://127.0.0.1:1', version: 'v24.0', timeoutMs: 100, log }),
  dispatch: () => assert.fail('a preview has no event'),
  clock: systemClock,
  log,
  ignored: () => undefined,
  spent: () => undefined,
})
const { call, keyFor } = gateway(sql, { preview: messages.preview })

const components = [
  { type: 'HEADER', format: 'TEXT', text: '{{store}}' },
  { type: 'BODY', text: 'Hi {{first_name}}, order {{order}} is ready.' },
  { type: 'FOOTER', text: 'North Dock' },
  { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://north.example/{{1}}' }] },
]

async function party(status = 'PAUSED') {
  const workspaceId = await workspace(sql)
  await sql`
    insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
    values (${newId('template')}, ${workspaceId}, 'order_ready', 'en_US', 'UTILITY', ${status}, 'NAMED',
      ${sql.json(components)})`
  const key = await keyFor(workspaceId, scopes)
  const preview = (body: object) => call(key, { path: '/messages/chat/preview', body })
  return { workspaceId, preview }
}

const body = (variables: Record<string, string>, more = {}) => ({
  to: '+15557000001',
  template: { name: 'order_ready', language: 'en_US', variables },
  ...more,
})

describe('POST /messages/chat/preview', () => {
  test('shows what would be sent, of a template that cannot be sent and without a sender', async () => {
    const { workspaceId, preview } = await party()
    const variables = { store: 'North Dock', first_name: 'Ines', order: 'A-1', 'button.0': 'a1' }
    const { status, json } = await preview(body(variables, { metadata: { a: 'b' } }))
    assert.equal(status, 200)
    assert.deepEqual(json, {
      to: '15557000001',
      userId: null,
      template: { name: 'order_ready', language: 'en_US', variables },
      headerFormat: 'TEXT',
      header: 'North Dock',
      body: 'Hi Ines, order A-1 is ready.',
      footer: 'North Dock',
      buttons: [{ type: 'URL', text: 'Track', url: 'https://north.example/a1' }],
      text: 'North Dock\nHi Ines, order A-1 is ready.\nNorth Dock',
      offer: null,
      cards: [],
      missingVariables: [],
      unexpectedVariables: [],
      invalidVariables: [],
      unsupportedParts: [],
    })
    assert.deepEqual(v.parse(previewView, json), json)
    const [rows] = await sql`
      select (select count(*)::integer from messages where workspace_id = ${workspaceId})
        + (select count(*)::integer from contacts where workspace_id = ${workspaceId}) as count`
    assert.equal(rows?.['count'], 0)
  })

  test('lists what is missing and what is too much, and leaves the placeholders', async () => {
    const { preview } = await party('APPROVED')
    const { json } = await preview(body({ store: 'North Dock', first_name: '', colour: 'red' }))
    assert.deepEqual(json.missingVariables, ['first_name', 'order', 'button.0'])
    assert.deepEqual(json.unexpectedVariables, ['colour'])
    assert.equal(json.body, 'Hi {{first_name}}, order {{order}} is ready.')
  })

  test('is TEMPLATE_NOT_FOUND for a name or a language that the workspace does not have', async () => {
    const { preview } = await party()
    for (const template of [
      { name: 'order_done', language: 'en_US' },
      { name: 'order_ready', language: 'de' },
    ]) {
      const { status, json } = await preview({ to: '+15557000001', template })
      assert.deepEqual([status, json.error.code], [422, 'TEMPLATE_NOT_FOUND'])
    }
  })

  test("is NO_SENDER_NUMBER where from names no number of the workspace, and takes one that is the workspace's", async () => {
    const { workspaceId, preview } = await party()
    const own = await thread(sql, workspaceId)
    const theirs = await thread(sql, await workspace(sql))
    const code = async (from: string) => (await preview(body({}, { from }))).json.error?.code
    assert.equal(await code(theirs.number), 'NO_SENDER_NUMBER')
    assert.equal(await code(encodeId('number', theirs.numberId)), 'NO_SENDER_NUMBER')
    assert.equal(await code(own.number), undefined)
  })

  test('takes no idempotencyKey', async () => {
    const { preview } = await party()
    const { status, json } = await preview(body({}, { idempotencyKey: 'k' }))
    assert.deepEqual([status, json.error.details[0].path], [400, 'idempotencyKey'])
  })
})
