// Hostile console requests of the workspace's owner, and requests of the owner of another workspace.
import { byActivity, encodeCursor } from '../../src/platform/http/paging.ts'
import type { Case } from './hostile-client.ts'
import type { HostileWorld } from './hostile-world.ts'

const invalid = '400 VALIDATION_ERROR'
const notFound = '404 NOT_FOUND'
const refusedAddress = '422 ADDRESS_NOT_ALLOWED'
const post = (path: string, body?: unknown, headers = {}) => ({ method: 'POST', path, body, headers })
const patch = (path: string, body: unknown) => ({ method: 'PATCH', path, body })

const lists = [
  '/messages',
  '/calls',
  '/conversations',
  '/deliveries',
  '/campaigns',
  '/audit',
  '/keys',
  '/numbers',
  '/templates',
  '/endpoints',
  '/members',
  '/invitations',
]

const forged = (at: string) =>
  encodeCursor(byActivity('console-conversations'), [at, '00000000-0000-0000-0000-000000000000'])

const queries: readonly Case[] = [
  ...lists.flatMap((list): Case[] =>
    ['limit=0', 'cursor=x', '__proto__=1', 'limit=1&limit=1'].map((query) => [
      `${list}?${query}`,
      { path: `${list}?${query}` },
      invalid,
    ]),
  ),
  ...['/messages', '/calls', '/conversations', '/deliveries'].flatMap((list): Case[] =>
    ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '2026-01-01T00:00:00%2B00'].map((text) => [
      `${list} until ${text}`,
      { path: `${list}?until=${text}` },
      invalid,
      'until',
    ]),
  ),
  ...['0000-99-99T99:99:99.999Z', '0000-01-01T00:00:00.000Z', '2026-02-31T00:00:00.000Z'].map(
    (at): Case => [
      `a cursor made of ${at}`,
      { path: `/conversations?cursor=${forged(at)}` },
      invalid,
      'cursor',
    ],
  ),
]

const hello = { name: 'hello_world', language: 'en_US' }
const protoPreview = '{"components":[{"type":"BODY","text":"{{1}}"}],"variables":{"__proto__":"x"}}'

const key = { name: 'k', scopes: ['CATALOG_READ'] }
const keyBodies: readonly [unknown, string][] = [
  [[], 'body'],
  [{}, 'name'],
  [{ ...key, name: ' ' }, 'name'],
  [{ ...key, name: '\0' }, 'name'],
  [{ ...key, scopes: [] }, 'scopes'],
  [{ ...key, scopes: ['ROOT'] }, 'scopes.0'],
  [{ ...key, workspaceId: 'x' }, 'workspaceId'],
  [{ ...key, requestsPerSecond: -1 }, 'requestsPerSecond'],
  [{ ...key, requestsPerSecond: 1.5 }, 'requestsPerSecond'],
  [{ ...key, requestsPerSecond: 1e9 }, 'requestsPerSecond'],
  [{ ...key, expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  [{ ...key, expiresAt: '9999-12-31T23:59:59-23:59' }, 'expiresAt'],
  [{ ...key, expiresAt: '2099-02-31T00:00:00Z' }, 'expiresAt'],
]

const addresses = [
  'http://8.8.8.8/',
  'ws://8.8.8.8/',
  'ftp://8.8.8.8/',
  'javascript:alert(1)',
  '8.8.8.8',
  '',
  'https://',
  'https://localhost/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://１２７.0.0.1/',
  'https://127。0。0。1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://metadata.google.internal/',
  'wss://10.0.0.1/',
  'https://user:password@8.8.8.8/',
  'https://8.8.8.8/#x',
  'https://8.8.8.8:0/',
  'https://8.8.8.8:99999/',
  'https://8.8.8.8\\@127.0.0.1/',
  `https://8.8.8.8/${'x'.repeat(2_048)}`,
]

/** Requests in the owner's own workspace. */
export function ownCases({ endpoint, call, apiKeyId }: HostileWorld): readonly Case[] {
  const hook = { name: 'hook', events: ['message.received'] }
  const rotate = (body: unknown) => post(`/endpoints/${endpoint.id}/rotate`, body)
  const replay = (body: unknown) => post(`/endpoints/${endpoint.id}/replay`, body)
  const number = (body: unknown) => patch(`/numbers/${call.numberId}`, body)
  const template = { name: 't', language: 'en', category: 'UTILITY' }
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
  return [
    ...queries,
    ...keyBodies.map(([body, path]): Case => [`a key with ${path}`, post('/keys', body), invalid, path]),
    ['to change nothing', patch(`/keys/${apiKeyId}`, {}), invalid, 'body'],
    ['a key for a list', patch(`/keys/${apiKeyId}`, []), invalid, 'body'],
    ...addresses.map((url): Case => [url.slice(0, 60), post('/endpoints', { ...hook, url }), refusedAddress]),
    ['an address that is none', post('/endpoints', { ...hook, url: null }), invalid, 'url'],
    ['no events', post('/endpoints', { ...hook, url: 'https://8.8.8.8/', events: [] }), invalid, 'events'],
    ['a move to ourselves', patch(`/endpoints/${endpoint.id}`, { url: 'https://[::1]/' }), refusedAddress],
    ['to rotate with a list', rotate([]), invalid, 'body'],
    ['to rotate for ever', rotate({ overlapHours: 1e9 }), invalid, 'overlapHours'],
    ['to rotate backwards', rotate({ overlapHours: -1 }), invalid, 'overlapHours'],
    ['to replay what arrived', replay({ states: ['DELIVERED'] }), invalid, 'states.0'],
    ['to replay since year 0', replay({ states: ['FAILED'], since: '0000-01-01' }), invalid, 'since'],
    ['a test of __proto__', post(`/endpoints/${endpoint.id}/test`, { event: '__proto__' }), invalid, 'event'],
    ['a number for a list', number([]), invalid, 'body'],
    ['forwarding to nobody', number({ forwardCalls: true }), '409 INVALID_STATE'],
    ['an endpoint that is none', number({ endpointId: 'whe_00000000000000000000000000' }), invalid],
    ['a member who is nobody', patch('/members/opr_00000000000000000000000000', { role: 'OWNER' }), notFound],
    ['a role of no use', post('/invitations', { email: 'a@b.c', role: 'constructor' }), invalid, 'role'],
    ['to invite no address', post('/invitations', { email: 'a b@c', role: 'OWNER' }), invalid, 'email'],
    ['500 levels', post('/templates', { ...template, components: [deep] }), invalid, 'components'],
    ['a preview of 500 levels', post('/templates/preview', { components: [deep] }), invalid, 'components'],
    ['a preview of __proto__', post('/templates/preview', JSON.parse(protoPreview)), invalid, 'variables'],
    [
      'a message without a key',
      post('/messages', { to: '+15557000001', template: hello }),
      invalid,
      'idempotencyKey',
    ],
    [
      'a message to nobody',
      post('/messages', { to: '1', template: hello, idempotencyKey: 'x' }),
      invalid,
      'to',
    ],
    ['a call to be answered', post(`/calls/${call.id}/action`, { action: 'PRE_ACCEPT' }), invalid, 'action'],
    [
      'a read mark with a field',
      post('/conversations/cnv_00000000000000000000000000/read', { all: 1 }),
      invalid,
      'all',
    ],
    ['a nameless workspace', patch('', { name: ' ' }), invalid, 'name'],
    ['no such path', { path: '/secrets' }, notFound],
    ['another method', { method: 'PUT', path: '/keys' }, '405 METHOD_NOT_ALLOWED'],
    ...['https://evil.example', 'null', 'http://127.0.0.1:1'].map(
      (origin): Case => [`a page of ${origin}`, post('/keys', key, { origin }), '403 FORBIDDEN'],
    ),
    ...['cross-site', 'same-site', 'none', ''].map(
      (site): Case => [
        `a request from "${site}"`,
        post('/keys', key, { 'sec-fetch-site': site }),
        '403 FORBIDDEN',
      ],
    ),
  ]
}

/** Ids of one workspace under the path of another: each is as unknown as an id that never existed. */
export function foreignCases({ endpoint, call, message, apiKeyId, stack }: HostileWorld): readonly Case[] {
  const hook = `/endpoints/${endpoint.id}`
  return [
    ['the call', { path: `/calls/${call.id}` }, notFound],
    ['the key', patch(`/keys/${apiKeyId}`, { name: 'mine' }), notFound],
    ['to revoke the key', { method: 'DELETE', path: `/keys/${apiKeyId}` }, notFound],
    ['the endpoint', { path: hook }, notFound],
    ['to move the endpoint', patch(hook, { url: 'https://8.8.8.8/' }), notFound],
    ['to delete the endpoint', { method: 'DELETE', path: hook }, notFound],
    ...['rotate', 'enable', 'disable', 'test', 'discard'].map(
      (verb): Case => [`to ${verb} the endpoint`, post(`${hook}/${verb}`), notFound],
    ),
    ['to replay the endpoint', post(`${hook}/replay`, { states: ['HELD'], dryRun: true }), notFound],
    ['the number', patch(`/numbers/${stack.numbers[0].id}`, { isDefault: true }), notFound],
    ['to suspend', post('/suspend'), notFound],
    ['the health of the endpoint', { path: `${hook}/health` }, notFound],
    ['the message', { path: `/messages/${message.id}` }, notFound],
    ['its file', { path: `/messages/${message.id}/media` }, notFound],
    ['to mark the message', post(`/messages/${message.id}/read`), notFound],
    ['the conversation', { path: `/conversations/${message.conversationId}` }, notFound],
    ['what is said in it', { path: `/conversations/${message.conversationId}/messages` }, notFound],
    ['to mark the conversation', post(`/conversations/${message.conversationId}/read`), notFound],
    ['to end the call', post(`/calls/${call.id}/action`, { action: 'DECLINE' }), notFound],
  ]
}
