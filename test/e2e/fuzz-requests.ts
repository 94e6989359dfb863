// Random requests to every route of the API and the console. Each starts valid, then its body, query, cursor,
// ids or CSV are corrupted. Every answer must be documented.
import assert from 'node:assert/strict'
import { operationNotes } from '../../src/api/openapi/operations.ts'
import { apiPrefix, table } from '../../src/api/table.ts'
import { consoleRoutes } from '../../src/console/console.ts'
import { consolePrefix } from '../../src/console/guard.ts'
import { type ErrorCode, errorCatalog } from '../../src/contract/errors.ts'
import { encodeCursor } from '../../src/platform/http/paging.ts'
import type { Schema } from '../../src/platform/http/route.ts'
import { assertDocumented } from '../support/documented.ts'
import type { Dice } from './fuzz-dice.ts'
import { mutatedBytes, mutatedJson, mutatedText } from './fuzz-mutations.ts'
import { consoleSamples } from './fuzz-samples.ts'
import { type Ask, assertRefused, type Told } from './hostile-client.ts'

/** What valid requests are made of. */
export interface Material {
  readonly key: string
  readonly cookie: string
  /** Existing ids, by the prefix of their kind. */
  readonly ids: Readonly<Record<string, string>>
  /** Valid `nextCursor` values of lists. */
  readonly cursors: readonly string[]
}

export interface Target {
  readonly edge: 'api' | 'console'
  readonly method: string
  /** Below the prefix, with its parameters. */
  readonly path: string
  readonly queryNames: readonly string[]
  /** A valid body; undefined when the route takes none. */
  readonly sample: unknown
}

interface Row {
  readonly method: string
  readonly path: string
  readonly query?: Schema | undefined
  readonly body?: Schema | undefined
}

// Leaves out routes that remove what other requests need: the session, the workspace, its rows.
const spared = (row: Row): boolean =>
  row.path.endsWith('/suspend') || (row.method === 'DELETE' && row.body === undefined)

const targetsOf = (edge: Target['edge'], rows: readonly Row[], sampleOf: (key: string) => unknown) =>
  rows
    .filter((row) => !spared(row))
    .map(({ method, path, query, body }): Target => {
      const sample = sampleOf(`${method} ${path}`)
      if (body) assert.notEqual(sample, undefined, `${method} ${path} has no good body to begin with`)
      const { entries = {} } = (query ?? {}) as { entries?: object }
      return { edge, method, path, queryNames: Object.keys(entries), sample }
    })

/** Every route. Throws when a route with a body has no sample. */
export const targets: readonly Target[] = [
  ...targetsOf('api', table, (key) => operationNotes[key]?.request),
  ...targetsOf('console', consoleRoutes, (key) => consoleSamples[key]),
]

export function request(dice: Dice, target: Target, material: Material): Ask {
  const { edge, method, path, queryNames } = target
  const prefix = edge === 'api' ? apiPrefix : consolePrefix
  const query = queryNames.length > 0 || dice.oneIn(8) ? queryText(dice, queryNames, material) : ''
  const content = dice.oneIn(25) && method !== 'GET' ? csv(dice) : json(dice, target, material)
  const credentials = edge === 'api' ? { 'x-api-key': material.key } : { cookie: material.cookie }
  return {
    method,
    path: wirePath(`${prefix}${filled(dice, path, material)}${query}`),
    headers: { ...credentials, ...(dice.oneIn(10) && { accept: 'text/csv' }), ...content.headers },
    ...(content.body && { body: content.body }),
  }
}

interface Content {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

const types = ['application/json', 'application/json; charset=utf-8', 'text/csv', 'text/plain', 'json', ',;=']

function json(dice: Dice, { method, sample }: Target, material: Material): Content {
  if (method === 'GET' || (sample === undefined && dice.oneIn(2))) return { headers: {}, body: undefined }
  const good = withIds(sample ?? {}, material)
  const body = dice.oneIn(12) ? Buffer.from(JSON.stringify(good)) : mutatedJson(dice, good)
  return { headers: { 'content-type': dice.oneIn(25) ? dice.of(types) : 'application/json' }, body }
}

const rows = [
  'to,first_name,order_number',
  '+15557000001,Ines,A-1',
  '"+15557000011","Jo ""J""",A-2',
  ',,',
  '"',
]

/** A body for the recipients route. Every other route refuses its media type. */
function csv(dice: Dice): Content {
  const lines = Array.from({ length: dice.below(8) }, () => dice.of(rows))
  const text = [rows[0], ...lines].join(dice.of(['\n', '\r\n', '\r', ';']))
  const bytes = Buffer.from(dice.oneIn(2) ? mutatedText(dice, text) : text)
  return { headers: { 'content-type': 'text/csv' }, body: mutatedBytes(dice, bytes) }
}

/** Replaces the ids of the examples, which do not exist, by ids that do. */
const withIds = (sample: unknown, { ids }: Material): unknown =>
  JSON.parse(
    JSON.stringify(sample).replace(/"([a-z]{3,4})_[0-9a-z]{26}"/g, (text, prefix: string) =>
      ids[prefix] === undefined ? text : JSON.stringify(ids[prefix]),
    ),
  )

function filled(dice: Dice, path: string, { ids }: Material): string {
  const fits: Readonly<Record<string, string>> = { messages: 'msg', conversations: 'cnv', calls: 'call' }
  const kinds: Readonly<Record<string, string>> = {
    ...fits,
    ...{ campaigns: 'cmp', keys: 'key', endpoints: 'whe', deliveries: 'dlv', numbers: 'num', members: 'opr' },
    templates: 'tpl',
  }
  const right = kinds[path.split('/').at(path.startsWith('/workspaces') ? 3 : 1) ?? ''] ?? 'msg'
  const id = dice.oneIn(3) ? strangeId(dice, ids) : (ids[right] ?? 'x')
  const workspace = dice.oneIn(12) ? strangeId(dice, ids) : (ids['wsp'] ?? 'x')
  return path.replace(':ws', () => workspace).replace(':id', () => id)
}

const strangeId = (dice: Dice, ids: Material['ids']): string => {
  const id = dice.of(Object.values(ids))
  return dice.oneIn(3) ? id : mutatedText(dice, id).slice(0, 4_000).replaceAll('/', '%2f')
}

const values: readonly string[] = [
  ...[
    '1',
    '200',
    '0',
    '201',
    '-1',
    '1e2',
    '99999999999999999999',
    '',
    ' ',
    'true',
    'false',
    'null',
    'INBOUND',
  ],
  ...[
    'OUTBOUND',
    'READ',
    'FAILED',
    'TEXT',
    'RINGING',
    'DRAFT',
    'PENDING',
    'APPROVED',
    'en_US',
    'hello_world',
  ],
  ...[
    '+15557000001',
    '15557000001',
    '2026-11-20',
    '2026-11-20T14:21:03.127Z',
    '0001-01-01T00:00+23:59',
    '[object Object]',
  ],
  ...[
    '9999-12-31T23:59:59.999999999Z',
    '2026-02-30T00:00:00Z',
    '%',
    '%zz',
    '%c0%af',
    '\0',
    '\ud800',
    "' or 1=1 --",
  ],
]

function queryText(dice: Dice, known: readonly string[], { ids, cursors }: Material): string {
  const pair = () => {
    const name =
      known.length > 0 && !dice.oneIn(10) ? dice.of(known) : dice.of(['__proto__', 'x', 'limit', ''])
    const value = name === 'cursor' ? cursor(dice, cursors) : dice.of([...values, ...Object.values(ids)])
    const text = dice.oneIn(4) ? mutatedText(dice, value).slice(0, 4_000) : value
    return `${name}${dice.oneIn(30) ? '' : '='}${dice.oneIn(4) ? text : escaped(text)}`
  }
  const count = dice.oneIn(40) ? 200 : dice.below(4)
  return `?${Array.from({ length: count }, pair).join('&')}`
}

function cursor(dice: Dice, cursors: readonly string[]): string {
  const good = cursors.length > 0 ? dice.of(cursors) : encodeCursor({ name: 'x', parts: [] }, ['x'])
  const inside = Buffer.from(good, 'base64url')
  switch (dice.below(4)) {
    case 0:
      return good
    case 1:
      return mutatedText(dice, good).slice(0, 2_000)
    case 2:
      return mutatedBytes(dice, inside).toString('base64url')
    default:
      return forged(dice, JSON.parse(inside.toString()))
  }
}

/** A cursor with changed contents and the checksum that fits them. */
function forged(dice: Dice, [, name, ...keyset]: string[]): string {
  const at = dice.below(keyset.length)
  const other = keyset.map((part, index) => (index === at ? mutatedText(dice, part).slice(0, 300) : part))
  return encodeCursor({ name: name ?? '', parts: [] }, dice.oneIn(10) ? [...other, ''] : other)
}

const escaped = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

/** Escapes byte by byte what cannot stand on a request line. */
const wirePath = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^!-~]|#/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
    // The HTTP parser refuses longer paths, which other requests test.
    .slice(0, 3_500)

/** The answer is documented, and a failure is the fault of the caller or of the provider only. */
export function judge({ edge, method }: Target, path: string, told: Told): void {
  if (told.status >= 400) assertRefusedAtAll(told)
  if (edge === 'console') return
  assertDocumented({
    ...{ method, status: told.status, body: told.json ?? told.text },
    path: path.slice(apiPrefix.length),
    header: (name) => {
      const value = told.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  })
}

/** The answer is an error of the catalogue in its documented form, and not an internal error. */
export function assertRefusedAtAll(told: Told): void {
  const code = told.json?.error?.code as ErrorCode
  const { status } = errorCatalog[code] ?? {}
  assert.ok(status !== undefined, `no error of the catalogue: ${told.status} ${told.text.slice(0, 300)}`)
  assertRefused(told, `${status} ${code}`)
  assert.ok(status < 500 || code === 'PROVIDER_ERROR', `a fault of ours: ${told.text.slice(0, 300)}`)
}
