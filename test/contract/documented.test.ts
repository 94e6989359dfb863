// assertDocumented judges every answer in the other tests, so it must be able to refuse one.
import assert from 'node:assert/strict'
import { errorExamples } from '../../src/api/openapi/error-examples.ts'
import { call, message, page } from '../../src/api/openapi/examples.ts'
import { assertDocumented, assertDocumentedEvent, type Exchanged } from '../support/documented.ts'
import { describe, test } from '../support/harness.ts'

const headers: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'x-request-id': 'r-1',
}

const answer = (parts: Partial<Exchanged> = {}): Exchanged => ({
  ...{ method: 'GET', path: `/messages/chat/${message.id}`, status: 200, body: message },
  header: (name) => headers[name],
  ...parts,
})

const refused = (parts: Partial<Exchanged>, why: RegExp) =>
  assert.throws(() => assertDocumented(answer(parts)), why)

describe('an answer held against the document', () => {
  test('passes as it is documented: a record, a list, a refusal, an unknown path', () => {
    assertDocumented(answer())
    assertDocumented(answer({ path: '/messages/chat?limit=1', body: page(message) }))
    assertDocumented(answer({ status: 404, body: errorExamples('NOT_FOUND') }))
    assertDocumented(answer({ path: '/nowhere', status: 404, body: errorExamples('NOT_FOUND') }))
    const reused = errorExamples('IDEMPOTENCY_KEY_REUSED')
    assertDocumented(answer({ method: 'POST', path: '/messages/chat', status: 409, body: reused }))
  })

  test('fails on a field too many, one too few, and one of another kind', () => {
    const { text: _text, ...less } = message
    refused({ body: { ...message, secret: 'x' } }, /\$\.secret is not in the document/)
    refused({ body: less }, /required|"text"/)
    refused({ body: { ...message, text: null } }, /\$\.text/)
    refused({ body: { ...message, id: 'cnv_01m7x2p9wne2brd5cdy4a6jp0g' } }, /\$\.id/)
    refused({ body: { ...message, status: 'GONE' } }, /\$\.status/)
    refused({ body: { ...message, createdAt: '2026-11-20' } }, /\$\.createdAt/)
    refused({ path: '/messages/chat', body: page({ ...message, numberId: 7 }) }, /\$\.data\.0\.numberId/)
  })

  test('fails on a status, a content type and a path that are not documented', () => {
    refused({ status: 201 }, /the status is not in the document/)
    refused({ header: (name) => (name === 'x-request-id' ? 'r-1' : 'text/html') }, /content type text\/html/)
    refused({ header: (name) => (name === 'x-request-id' ? null : headers[name]) }, /no X-Request-Id/)
    refused({ path: '/nowhere' }, /no operation of the document/)
  })

  test('an event is held to its own schema', () => {
    const data = { ...call, callId: call.id, occurredAt: call.createdAt }
    assert.throws(() => assertDocumentedEvent({ event: 'call.ended' }), /call\.ended is not in the document/)
    const body = { event: 'call.status', sentAt: call.createdAt, data }
    assert.throws(() => assertDocumentedEvent(body), /\$\.data\.numberId is not in the document/)
  })
})
