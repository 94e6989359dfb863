// Finds records of a workspace by what somebody types. Every select is a short range of an index, or reads what a
// workspace has few of.
import type { Fragment, Pool, Sql } from '../../platform/postgres/sql.ts'
import type { Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { SearchQuery } from '../search-query.ts'
import { type Found, findPeople, inTerms } from './people.store.ts'
import { byId } from './search-by-id.ts'
import {
  campaign,
  columns,
  endpoint,
  type Hit,
  key,
  most,
  mostShown,
  number,
  talks,
  template,
} from './search-parts.ts'

export interface SearchStore {
  people(workspaceId: WorkspaceId, query: SearchQuery): Promise<readonly Found[]>
  /** Of each contact the latest conversations, one for each number mostly, and the latest calls. */
  keysOf(workspaceId: WorkspaceId, contactIds: readonly Uuid[]): Promise<readonly Uuid[]>
  /** Both in one transaction with a limit of its own; ends at once when the caller does not wait any more. */
  search(
    workspaceId: WorkspaceId,
    query: SearchQuery,
    abort: AbortSignal,
  ): Promise<{ readonly people: readonly Found[]; readonly hits: readonly Hit[] }>
}

const timeoutMs = 1_000
/** Members, numbers and keys of one workspace that are looked at. */
const mostFew = 500
/** A name can begin twice with what was typed. */
const mostTerms = 2 * mostShown

export const createSearchStore = (sql: Pool): SearchStore => ({
  people: (workspaceId, query) => findPeople(sql, workspaceId, query),

  async keysOf(workspaceId, contactIds) {
    const rows = await sql<{ id: Uuid }[]>`
      select found.id
      from unnest(${contactIds as Uuid[]}::uuid[]) as asked (contact_id)
      cross join lateral (
        (
          select id from conversations
          where workspace_id = ${workspaceId} and contact_id = asked.contact_id
          order by updated_at desc, id desc
          limit 5
        )
        union all
        (
          select id from calls
          where workspace_id = ${workspaceId} and contact_id = asked.contact_id
          order by id desc
          limit 10
        )
      ) found`
    return rows.map(({ id }) => id)
  },

  async search(workspaceId, query, abort) {
    const found = sql.begin('read only', async (begun) => {
      const tx = begun as unknown as Sql
      // To plan so many selects takes longer than to run them: once for each connection, for any values. A plan may be
      // made while a table is small, and must be right when it is large.
      await tx`
        select set_config('statement_timeout', ${String(timeoutMs)}, true),
          set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`
      abort.throwIfAborted()
      const running = [findPeople(tx, workspaceId, query), hitsOf(tx, workspaceId, query, abort)] as const
      const [people, hits] = await Promise.all(running)
      return { people, hits }
    })
    return found as Promise<{ people: readonly Found[]; hits: readonly Hit[] }>
  },
})

async function hitsOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  query: SearchQuery,
  abort: AbortSignal,
): Promise<readonly Hit[]> {
  const [first, ...others] = selectsOf(sql, workspaceId, query)
  if (first === undefined) return []
  const all = others.reduce((before, one) => sql`${before} union all (${one})`, sql`(${first})`)
  const asked = sql<Hit[]>`${all}`
  const cancel = () => asked.cancel()
  abort.addEventListener('abort', cancel, { once: true })
  try {
    return await asked
  } finally {
    abort.removeEventListener('abort', cancel)
  }
}

function selectsOf(sql: Sql, workspaceId: WorkspaceId, query: SearchQuery): readonly Fragment[] {
  const { id, phone, name, token } = query
  if (id) return byId(sql, workspaceId, id)
  return [
    ...(name === undefined ? [] : [...byName(sql, workspaceId, name), members(sql, workspaceId, name)]),
    ...(phone === undefined ? [] : [numbers(sql, workspaceId, phone)]),
    ...(token === undefined ? [] : byToken(sql, workspaceId, token)),
  ]
}

const named = [
  ['campaign', 'campaigns', campaign],
  ['template', 'templates', template],
  ['endpoint', 'endpoints', endpoint],
  ['key', 'api_keys', key],
  ['number', 'numbers', number],
] as const

const byName = (sql: Sql, workspaceId: WorkspaceId, name: string): readonly Fragment[] =>
  named.map(
    ([kind, table, shown]) => sql`
      select ${columns(sql, shown(sql))}
      from (
        select subject_id from search_terms where ${inTerms(sql, { workspaceId, kind, name })}
        order by term
        limit ${sql.unsafe(String(mostTerms))}
      ) found
      cross join lateral (
        select * from ${sql(table)} where id = found.subject_id and workspace_id = ${workspaceId} offset 0
      ) t`,
  )

const members = (sql: Sql, workspaceId: WorkspaceId, name: string): Fragment => sql`
  select ${columns(sql, { kind: 'member', id: sql`o.id`, title: sql`o.name`, detail: sql`o.email`, status: sql`m.role` })}
  from (select operator_id, role from memberships where workspace_id = ${workspaceId} limit ${mostFew}) m
  join operators o on o.id = m.operator_id
  where search_text(${name}) <> ''
    and strpos(' ' || search_text(o.name || ' ' || o.email), ' ' || search_text(${name})) > 0
  limit ${most(sql)}`

const numbers = (
  sql: Sql,
  workspaceId: WorkspaceId,
  { leads, ends }: NonNullable<SearchQuery['phone']>,
): Fragment => sql`
  select ${columns(sql, number(sql))}
  from (select * from numbers where workspace_id = ${workspaceId} limit ${mostFew}) t
  where exists (select from unnest(${leads as string[]}::text[]) lead where starts_with(t.number, '+' || lead))
    or exists (select from unnest(${ends as string[]}::text[]) last where right(t.number, length(last)) = last)
  limit ${most(sql)}`

/** Keys of sends and of other requests, ids of the provider, and the visible part of an API key. */
function byToken(sql: Sql, workspaceId: WorkspaceId, token: string): readonly Fragment[] {
  const until = afterToken(token)
  const ownKey = sql`workspace_id = ${workspaceId} and idempotency_key`
  const begins = until
    ? sql`${ownKey} >= ${token} and idempotency_key < ${until} and starts_with(idempotency_key, ${token})
        order by idempotency_key`
    : sql`${ownKey} = ${token}`
  return [
    talks(sql, 'message', {
      rows: sql`select * from messages where provider_message_id = ${token} and workspace_id = ${workspaceId}`,
    }),
    talks(sql, 'message', {
      rows: sql`select * from messages where ${begins}`,
      detail: sql`t.idempotency_key`,
    }),
    talks(sql, 'call', {
      rows: sql`select * from calls where wacid = ${token} and workspace_id = ${workspaceId}`,
    }),
    ...requested(sql, workspaceId, token),
    sql`
      select ${columns(sql, key(sql))}
      from (
        select * from api_keys
        where workspace_id = ${workspaceId} and prefix = ${/^ck_(?:live|test)_(\w{10})/.exec(token)?.[1] ?? token}
      ) t`,
    sql`
      select ${columns(sql, number(sql))}
      from (select * from numbers where phone_number_id = ${token} and workspace_id = ${workspaceId}) t`,
  ]
}

/** Calls and campaigns that a request with this key has made. */
function requested(sql: Sql, workspaceId: WorkspaceId, token: string): readonly Fragment[] {
  const made = (kind: 'call' | 'campaign') => sql`
    (select resource_id from request_keys where workspace_id = ${workspaceId} and kind = ${kind} and key = ${token})`
  return [
    talks(sql, 'call', {
      rows: sql`select * from calls where id = ${made('call')} and workspace_id = ${workspaceId}`,
      detail: sql`${token}`,
    }),
    sql`
      select ${columns(sql, { ...campaign(sql), detail: sql`${token}` })}
      from (select * from campaigns where id = ${made('campaign')} and workspace_id = ${workspaceId}) t
      where t.deleted_at is null`,
  ]
}

/**
 * In the order of any locale, greater than all texts that begin so: the last letter or digit is one further, and signs
 * behind it do not count. Undefined where there is none: then the whole key must be typed.
 */
export function afterToken(token: string): string | undefined {
  const [, head, last] = /^(.*?)([0-8a-yA-Y])(?:[^\p{L}\p{N}]|[9zZ])*$/su.exec(token) ?? []
  return head === undefined || last === undefined
    ? undefined
    : `${head}${String.fromCharCode(last.charCodeAt(0) + 1)}`
}
