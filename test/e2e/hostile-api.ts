// Hostile requests to the public API. Every entry is one request with a valid key.

import { byId, encodeCursor } from '../../src/platform/http/paging.ts'
import type { Case } from './hostile-client.ts'
import { sendable } from './hostile-world.ts'
import { session } from './sdp.ts'

const post = (path: string, body: unknown, headers = {}) => ({ method: 'POST', path, body, headers })
const send = (body: unknown, headers = {}) => post('/messages/chat', body, headers)
const good = sendable()
const { template } = good
const withVariables = (variables: unknown) => ({ ...good, template: { ...template, variables } })

const malformed = '400 MALFORMED_JSON'
const invalid = '400 VALIDATION_ERROR'
const mediaType = '415 UNSUPPORTED_MEDIA_TYPE'
const notFound = '404 NOT_FOUND'
const KIB = 1_024

export const bodies: readonly Case[] = [
  ['no body', send(''), malformed],
  ['half an object', send('{"to":'), malformed],
  ['a byte order mark', send(`\ufeff${JSON.stringify(good)}`), malformed],
  ['bytes that are no UTF-8', send(Buffer.from('{"to":"\xff"}', 'latin1')), malformed],
  ['brackets without an end', send('['.repeat(200 * KIB)), malformed],
  ['null', send('null'), invalid, 'body'],
  ['a list', send([]), invalid, 'body'],
  ['a text', send('"to"'), invalid, 'body'],
  ['an empty object', send({}), invalid, 'to'],
  ['an unknown field', send({ ...good, cc: 1 }), invalid, 'cc'],
  ['__proto__', send(`{"__proto__":{"to":"x"},${JSON.stringify(good).slice(1)}`), invalid, '__proto__'],
  ['constructor', send({ ...good, constructor: { prototype: 1 } }), invalid, 'constructor'],
  ['a name as long as a body', send({ ...good, ['x'.repeat(200 * KIB)]: 1 }), invalid, 'x'.repeat(200)],
  ['50,000 levels', send(`{"to":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), invalid, 'to'],
  ['a number beyond range', send('{"to":1e999}'), invalid, 'to'],
  ['a number without a plus', send({ ...good, to: '15557000001' }), invalid, 'to'],
  ['digits of another script', send({ ...good, to: '+١٥٥٥٧٠٠٠٠٠١' }), invalid, 'to'],
  ['a number and a line', send({ ...good, to: '+15557000001\n' }), invalid, 'to'],
  ['a template that is a list', send({ ...good, template: [] }), invalid, 'template.name'],
  ['another locale', send({ ...good, template: { ...template, language: 'EN-us' } }), invalid],
  ['variables that are a list', send(withVariables([])), invalid, 'template.variables'],
  ['a variable that is a number', send(withVariables({ a: 1 })), invalid, 'template.variables.a'],
  ['a variable named __proto__', send(raw('{"__proto__":"x"}')), invalid, 'template.variables'],
  ['NUL', send(withVariables({ a: '\0' })), invalid, 'template.variables.a'],
  ['half a character', send(raw('{"a":"\\ud800"}')), invalid, 'template.variables.a'],
  ['NUL in a name', send({ ...good, metadata: { '\0': 'x' } }), invalid, 'metadata'],
  ['17 pairs', send({ ...good, metadata: Object.fromEntries(pairs(17)) }), invalid, 'metadata'],
  ['a long value', send({ ...good, metadata: { a: 'x'.repeat(513) } }), invalid, 'metadata.a'],
  ['an empty key', send({ ...good, idempotencyKey: '' }), invalid, 'idempotencyKey'],
  ['a key of 256', send({ ...good, idempotencyKey: 'k'.repeat(256) }), invalid, 'idempotencyKey'],
  ['a preview with a key', post('/messages/chat/preview', { ...good, idempotencyKey: 'k' }), invalid],
  ['a preview of nobody', post('/messages/chat/preview', { ...good, to: '' }), invalid, 'to'],
  ['an id of another kind', send({ ...good, from: 'msg_01m7x1kd0xetktkyd10zyf1ms9' }), invalid, 'from'],
  [
    '256 KiB and a byte',
    { method: 'POST', path: '/messages/chat', announcedBytes: 256 * KIB + 1 },
    '413 PAYLOAD_TOO_LARGE',
  ],
  ...[
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/json, text/plain',
  ].map((type): Case => [`type "${type}"`, send(good, { 'content-type': type }), mediaType]),
  ['gzip', send(good, { 'content-encoding': 'gzip' }), mediaType],
]

function raw(variables: string): string {
  const text = JSON.stringify(withVariables('@'))
  return text.replace('"@"', variables)
}

function pairs(count: number): [string, string][] {
  return Array.from({ length: count }, (_, index) => [`k${index}`, 'v'])
}

const nowhere = '00000000-0000-0000-0000-000000000000'

const listQueries: readonly [query: string, path: string][] = [
  ...['0', '201', '-1', '1.5', '1e2', 'abc', '', '%00', '%EF%BC%99'].map((limit): [string, string] => [
    `limit=${limit}`,
    'limit',
  ]),
  ['limit=1&limit=2', 'limit'],
  ['limit[]=1', 'limit[]'],
  ['cursor=', 'cursor'],
  ['cursor=abc', 'cursor'],
  [`cursor=${encodeCursor(byId('another list'), [nowhere])}`, 'cursor'],
  [`cursor=${encodeCursor(byId('calls'), ["'; drop table calls; --"])}`, 'cursor'],
  [`cursor=${'x'.repeat(513)}`, 'cursor'],
  ['workspaceId=1', 'workspaceId'],
  ['__proto__=1', '__proto__'],
  ['constructor=1', 'constructor'],
  ['%ZZ=1', '%ZZ'],
]

const logQueries: readonly [query: string, path: string][] = [
  ...[
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00%2B23:59',
    '9999-12-31T23:59:59-23:59',
    '2026-02-31',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00%2B00',
    'yesterday',
    '1e9',
  ].flatMap((text): [string, string][] => [
    [`since=${text}`, 'since'],
    [`until=${text}`, 'until'],
  ]),
  ['direction=INBOUND&direction=OUTBOUND', 'direction'],
  ['direction=inbound', 'direction'],
  ['status=', 'status'],
  ['conversationId=1', 'conversationId'],
  ['numberId=num_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'numberId'],
  ['contact=%00', 'contact'],
]

const refusedQuery =
  (list: string) =>
  ([query, path]: [string, string] | readonly [string, string]): Case => [
    `${list}?${query.slice(0, 40)}`,
    { path: `${list}?${query}` },
    invalid,
    path,
  ]

export const queries: readonly Case[] = [
  ...['/messages/chat', '/conversations', '/templates', '/numbers', '/calls', '/campaigns'].flatMap((list) =>
    listQueries.map(refusedQuery(list)),
  ),
  ...['/messages/chat', '/calls'].flatMap((list) => logQueries.map(refusedQuery(list))),
  ...['idempotencyKey=', 'idempotencyKey=%00', 'providerMessageId=%00'].map((query) =>
    refusedQuery('/messages/chat')([query, query.split('=')[0] ?? '']),
  ),
  ...['name=', 'name=%00', 'status=approved'].map((query) =>
    refusedQuery('/templates')([query, query.split('=')[0] ?? '']),
  ),
]

const strange = [
  'x',
  'num_01m7x1kd0xetktkyd10zyf1ms9',
  'msg_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  'MSG_00000000000000000000000000',
  '%6dsg_00000000000000000000000000',
  '..%2f..%2fetc',
  '%00',
  '__proto__',
  'x'.repeat(2_000),
]

export const paths: readonly Case[] = [
  ...strange.map((id): Case => [`message ${id.slice(0, 40)}`, { path: `/messages/chat/${id}` }, notFound]),
  ...strange.flatMap((id): Case[] => [
    [`media ${id.slice(0, 40)}`, { path: `/messages/chat/${id}/media` }, notFound],
    [`read ${id.slice(0, 40)}`, { method: 'POST', path: `/messages/chat/${id}/read` }, notFound],
    [`typing ${id.slice(0, 40)}`, { method: 'POST', path: `/conversations/${id}/typing` }, notFound],
  ]),
  ...['/conversations', '/templates', '/numbers'].flatMap((list) =>
    strange.map((id): Case => [`one of ${list} ${id.slice(0, 40)}`, { path: `${list}/${id}` }, notFound]),
  ),
  ...strange.map((id): Case => [`call ${id.slice(0, 40)}`, { path: `/calls/${id}/offer` }, notFound]),
  ...['', '/', '//messages/chat', '/messages//chat', '/messages/chat/', '/%6dessages/chat'].map(
    (path): Case => [`path ${path}`, { path }, notFound],
  ),
  ...['/messages/../calls', '/Calls', '/__proto__', '/constructor', '/numbers/1', '/keys'].map(
    (path): Case => [`path ${path}`, { path }, notFound],
  ),
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].map(
    (method): Case => [`${method} messages`, { method, path: '/messages/chat' }, '405 METHOD_NOT_ALLOWED'],
  ),
  ['GET an answer', { path: '/calls/x/answer' }, '405 METHOD_NOT_ALLOWED'],
]

/** Well-formed requests that cannot be fulfilled. */
export const refusals = (optedOut: string): readonly Case[] => [
  ['no such template', send({ ...good, template: { ...template, name: 'no' } }), '422 TEMPLATE_NOT_FOUND'],
  [
    'not approved',
    send({ ...good, template: { ...template, name: 'paused_offer' } }),
    '422 TEMPLATE_NOT_APPROVED',
  ],
  ['other variables', send(withVariables({ a: 'x' })), '422 TEMPLATE_VARIABLES_MISMATCH'],
  ['another number', send({ ...good, from: '+15559999999' }), '422 NO_SENDER_NUMBER'],
  ['opted out', send({ ...good, to: optedOut }), '422 RECIPIENT_OPTED_OUT'],
]

const offer = session('offer')
const answer = session('answer')
const without = (line: RegExp) => ({ ...answer, sdp: answer.sdp.replace(line, '') })
const sized = (bytes: number) => ({ ...answer, sdp: `${answer.sdp}a=x:${'y'.repeat(bytes)}\r\n` })

export function callCases(call: { id: string; conversationId: string }): readonly Case[] {
  const answering = (body: unknown) => post(`/calls/${call.id}/answer`, body)
  const acting = (body: unknown) => post(`/calls/${call.id}/action`, body)
  const placing = (body: unknown) => post(`/conversations/${call.conversationId}/call`, body)
  const sdp = '422 INVALID_SDP'
  return [
    ['no session', answering({}), invalid, 'session'],
    ['an offer', answering({ session: offer }), invalid, 'session.sdpType'],
    ['no text', answering({ session: { sdpType: 'answer', sdp: 1 } }), invalid, 'session.sdp'],
    ['more than 64 KiB', answering({ session: sized(64 * KIB) }), invalid, 'session.sdp'],
    ['NUL', answering({ session: { ...answer, sdp: `${answer.sdp}\0` } }), invalid, 'session.sdp'],
    ['more than a session', answering({ session: answer, force: true }), invalid, 'force'],
    ['words', answering({ session: { ...answer, sdp: 'hello' } }), sdp, 'session.sdp'],
    ['no audio', answering({ session: { ...answer, sdp: answer.sdp.replace('audio', 'video') } }), sdp],
    ['no ICE', answering({ session: without(/a=ice-ufrag.*\r\n/) }), sdp],
    ['no DTLS', answering({ session: without(/a=fingerprint.*\r\n/) }), sdp],
    ['3,000 sections', answering({ session: { ...answer, sdp: many } }), sdp],
    ['no action', acting({}), invalid, 'action'],
    ['an unknown action', acting({ action: '__proto__' }), invalid, 'action'],
    ['another spelling', acting({ action: 'decline' }), invalid, 'action'],
    ['a list of actions', acting({ action: ['DECLINE'] }), invalid, 'action'],
    ['a decline with a session', acting({ action: 'DECLINE', session: answer }), invalid, 'session'],
    ['a pre-accept without', acting({ action: 'PRE_ACCEPT' }), invalid, 'session'],
    ['to place an answer', placing({ session: answer }), invalid, 'session.sdpType'],
    ['to place words', placing({ session: { ...offer, sdp: 'v=0' } }), sdp],
    ['to call a call', post(`/conversations/${call.id}/call`, { session: offer }), notFound],
    ['no such conversation', post(`/conversations/${noConversation}/call`, { session: offer }), notFound],
  ]
}

const noConversation = 'cnv_00000000000000000000000000'
const many = `${answer.sdp.split('m=')[0]}${'m=audio 9 X 0\r\n'.repeat(3_000)}`
