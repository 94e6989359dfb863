import assert from 'node:assert/strict'
import { table } from '../../src/api/table.ts'
import { sharedRows } from '../../src/console/routes/shared-campaigns.ts'
import { errorCatalog } from '../../src/contract/errors.ts'
import { describe, test } from '../support/harness.ts'

// The routes of the API contract, verbatim and in its order. Add a new route here and in the table.
const contract = `
POST /messages/chat CHAT_SEND
POST /messages/chat/preview CHAT_SEND
GET /messages/chat MESSAGES_READ
GET /messages/chat/:id MESSAGES_READ
GET /messages/chat/:id/media MEDIA_READ
POST /messages/chat/:id/read CONVERSATIONS_WRITE
POST /conversations/:id/read CONVERSATIONS_WRITE
GET /templates CATALOG_READ
GET /numbers CATALOG_READ
GET /conversations CONVERSATIONS_READ
GET /calls CALLS_READ
GET /calls/:id CALLS_READ
GET /calls/ice CALLS_READ
GET /calls/:id/offer CALLS_WRITE
POST /calls/:id/answer CALLS_WRITE
POST /calls/:id/action CALLS_WRITE
POST /conversations/:id/call CALLS_WRITE
GET /campaigns CAMPAIGNS_READ
GET /campaigns/:id CAMPAIGNS_READ
GET /campaigns/:id/estimate CAMPAIGNS_READ
GET /campaigns/:id/recipients CAMPAIGNS_READ
POST /campaigns CAMPAIGNS_WRITE
PATCH /campaigns/:id CAMPAIGNS_WRITE
POST /campaigns/:id/recipients CAMPAIGNS_WRITE
DELETE /campaigns/:id/recipients CAMPAIGNS_WRITE
POST /campaigns/:id/start CAMPAIGNS_WRITE
POST /campaigns/:id/pause CAMPAIGNS_WRITE
POST /campaigns/:id/cancel CAMPAIGNS_WRITE
DELETE /campaigns/:id CAMPAIGNS_WRITE
POST /conversations/:id/typing CONVERSATIONS_WRITE
GET /conversations/:id CONVERSATIONS_READ
GET /templates/:id CATALOG_READ
GET /numbers/:id CATALOG_READ
POST /contacts/:phone/erasures CONTACTS_ERASE
GET /erasures CONTACTS_ERASE
GET /erasures/:id CONTACTS_ERASE
POST /contacts/:phone/exports CONTACTS_EXPORT
GET /exports CONTACTS_EXPORT
GET /exports/:id CONTACTS_EXPORT
GET /exports/:id/file CONTACTS_EXPORT
POST /media CHAT_SEND
`

describe('the table of the API', () => {
  test('is the list of the contract: method, path, scope, order [endpoints]', () => {
    const rows = table.map(({ method, path, scope }) => `${method} ${path} ${scope}`)
    assert.deepEqual(rows, contract.trim().split('\n'))
  })

  test('takes no workspace from a caller: no parameter of a path but one id, or a contact’s number [authentication 3]', () => {
    for (const { path } of table) {
      const names = path.split('/').filter((segment) => segment.startsWith(':'))
      assert.ok(
        names.length === 0 || (names.length === 1 && [':id', ':phone'].includes(names[0] ?? '')),
        path,
      )
    }
  })

  test('every row with an id judges it, can say NOT_FOUND, and has a summary and a response where it answers with JSON', () => {
    for (const row of table) {
      assert.equal(row.params !== undefined, /:(id|phone)/.test(row.path), row.path)
      assert.ok(row.params === undefined || row.errors.includes('NOT_FOUND'), row.path)
      assert.ok(row.summary.length > 0, row.path)
      const isBytes = ['/messages/chat/:id/media', '/exports/:id/file'].includes(row.path)
      assert.equal(row.response !== undefined, row.success !== 204 && !isBytes, row.path)
    }
  })

  test('names only codes of the catalogue, each once', () => {
    for (const { path, errors } of table) {
      assert.equal(new Set(errors).size, errors.length, path)
      for (const code of errors) assert.ok(code in errorCatalog, code)
    }
  })

  test('every POST and PATCH takes a body, but for those that have nothing to say, and no GET does', () => {
    const speechless = [
      // The body is a file.
      '/media',
      '/messages/chat/:id/read',
      '/conversations/:id/read',
      '/conversations/:id/typing',
      ...['erasures', 'exports'].map((word) => `/contacts/:phone/${word}`),
      ...['start', 'pause', 'cancel'].map((word) => `/campaigns/:id/${word}`),
    ]
    for (const { method, path, body } of table)
      if (method !== 'DELETE')
        assert.equal(body !== undefined, method !== 'GET' && !speechless.includes(path), path)
  })
})

test('the console has every campaign route of the API', () => {
  const ofCampaigns = table.filter(({ path }) => path.split('/')[1] === 'campaigns')
  assert.ok(ofCampaigns.length >= 12)
  assert.deepEqual(
    sharedRows.map(({ row }) => row),
    ofCampaigns,
  )
  for (const { row, action } of sharedRows) assert.equal(action === null, row.method === 'GET', row.path)
})
