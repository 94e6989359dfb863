import * as v from 'valibot'
import { isIpRange, mostAllowedIps } from '../../accounts/allowed-ips.ts'
import { makeKey } from '../../accounts/key-format.ts'
import type { KeyChange } from '../../contract/administration.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import type { KeyRecord } from '../../contract/records/console.ts'
import { type Scope, scopes } from '../../contract/scopes.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { time } from '../../platform/http/time.ts'
import { newId } from '../../shared/ids.ts'
import { workspaceRoute } from '../route.ts'
import { hasField, idParams, shownName } from '../schema.ts'

const kind = byId('console-keys')
const DEFAULT_RATE = 100

const scopeList = v.pipe(
  v.array(v.picklist(scopes)),
  v.minLength(1, 'Choose at least one scope'),
  v.transform((list: Scope[]) => scopes.filter((scope) => list.includes(scope))),
)
const rate = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100_000))

const allowedIps = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.trim(),
      v.check(isIpRange, 'Enter an address or a range such as 203.0.113.0/24 or 2001:db8::/32'),
    ),
  ),
  v.maxLength(mostAllowedIps, `List at most ${mostAllowedIps} ranges`),
  v.transform((list) => [...new Set(list)]),
)

const listKeys = workspaceRoute({
  method: 'GET',
  path: '/keys',
  summary: 'API keys, without their secrets',
  role: 'VIEWER',
  query: v.strictObject(pageQuery),
  handle: async ({ services, author, query }) =>
    pageBody(kind, await services.keys.list(author.workspaceId, pageRequest(kind, query))),
})

const createKey = workspaceRoute({
  method: 'POST',
  path: '/keys',
  summary: 'Create an API key; this answer alone shows it',
  needsProof: true,
  role: 'ADMIN',
  body: v.strictObject({
    name: shownName,
    scopes: scopeList,
    expiresAt: v.nullish(
      v.pipe(
        time,
        v.check((at) => at.getTime() > Date.now(), 'Choose a time in the future'),
      ),
    ),
    requestsPerSecond: v.optional(rate, DEFAULT_RATE),
    allowedIps: v.optional(allowedIps, []),
  }),
  success: 201,
  async handle({ services, author, body }) {
    const { key, prefix, secretHash } = makeKey(services.settings.keyEnvironment)
    const record = await services.keys.create(author, {
      ...body,
      id: newId('key'),
      prefix,
      secretHash,
      expiresAt: body.expiresAt ?? null,
    })
    return { ...record, key }
  },
})

const editKey = workspaceRoute({
  method: 'PATCH',
  path: '/keys/:id',
  summary: 'Change what a key may do; the key itself stays',
  needsProof: ({ body: { scopes: given, requestsPerSecond, allowedIps: ips } }) =>
    [given, requestsPerSecond, ips].some((field) => field !== undefined),
  role: 'ADMIN',
  params: idParams('key'),
  body: v.pipe(
    v.strictObject({
      name: v.optional(shownName),
      scopes: v.optional(scopeList),
      requestsPerSecond: v.optional(rate),
      allowedIps: v.optional(allowedIps),
    }),
    hasField(),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  handle: async ({ services, author, params, body }) =>
    changed(await services.keys.edit(author, params.id, body)),
})

const revokeKey = workspaceRoute({
  method: 'DELETE',
  path: '/keys/:id',
  summary: 'Revoke a key, from the next request on',
  role: 'ADMIN',
  params: idParams('key'),
  errors: ['NOT_FOUND'],
  handle: async ({ services, author, params }) => changed(await services.keys.revoke(author, params.id)),
})

function changed(change: KeyChange): KeyRecord {
  switch (change.type) {
    case 'changed':
      return change.key
    case 'revoked':
      throw new AppError('INVALID_STATE', 'the key is revoked: create a new one')
    case 'notFound':
      throw notFound('key')
  }
}

export const keyRoutes = [listKeys, createKey, editKey, revokeKey]
