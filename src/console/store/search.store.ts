// Finds records of a workspace by what somebody types. Every select is a short range of an index, or reads what a
// workspace has few of.
import type { SearchKind } from '../../contract/records/console.ts'
import { settledAndPending } from '../../platform/postgres/settled-or-pending.ts'
import type { Fragment, Pool, Sql } from '../../platform/postgres/sql.ts'
import {
  type IdKind,
  type IdRange,
  idFloor,
  idTimeMs,
  type Uuid,
  type WorkspaceId,
} from '../../shared/ids.ts'
import type { SearchQuery } from '../search-query.ts'
import { type Found, findPeople, inTerms } from './people.store.ts'

/** What is shown of a record that is no contact. */
export interface Hit {
  readonly kind: Exclude<SearchKind, 'contact'>
  readonly id: Uuid
  /** A name, or null where it is that of the person. */
  readonly title: string | null
  /** Digits, or a user id. */
  readonly address: string | null
  /** What was found, such as a key, or what else tells it from others. */
  readonly detail: string | null
  readonly direction: string | null
  /** Of a message. */
  readonly type: string | null
  readonly status: string | null
  /** The record that shows this one, where it has no page. */
  readonly parentId: Uuid | null
  readonly at: Date | null
}

export interface SearchStore {
  people(workspaceId: WorkspaceId, query: SearchQuery): Promise<readonly Found[]>
  /** Both in one transaction with a limit of its own; ends at once when the caller does not wait any more. */
  search(
    workspaceId: WorkspaceId,
    query: SearchQuery,
    abort: AbortSignal,
  ): Promise<{ readonly people: readonly Found[]; readonly hits: readonly Hit[] }>
}

/** Of one kind. */
export const mostShown = 5
const timeoutMs = 1_000
/** Members, numbers and keys of one workspace that are looked at. */
const mostFew = 500
/** A name can begin twice with what was typed. */
const mostTerms = 2 * mostShown

export const createSearchStore = (sql: Pool): SearchStore => ({
  people: (workspaceId, query) => findPeople(sql, workspaceId, query),

  async search(workspaceId, query, abort) {
    const found = sql.begin('read only', async (begun) => {
      const tx = begun as unknown as Sql
      await tx`select set_config('statement_timeout', ${String(timeoutMs)}, true)`
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

interface Shown {
  readonly kind: Hit['kind']
  readonly id: Fragment
  readonly title?: Fragment
  readonly address?: Fragment
  readonly detail?: Fragment
  readonly direction?: Fragment
  readonly type?: Fragment
  readonly status?: Fragment
  readonly parentId?: Fragment
  readonly at?: Fragment
}

/** The columns of a hit, in one order for all selects. */
function columns(sql: Sql, shown: Shown): Fragment {
  const text = (value: Fragment | undefined) => (value ? sql`(${value})::text` : sql`null::text`)
  const { kind, id, title, address, detail, direction, type, status, parentId, at } = shown
  return sql`${sql.unsafe(`'${kind}'`)}::text as kind, ${id} as id, ${text(title)} as title, ${text(address)} as address,
    ${text(detail)} as detail, ${text(direction)} as direction, ${text(type)} as type, ${text(status)} as status,
    ${parentId ? sql`(${parentId})::uuid` : sql`null::uuid`} as parent_id,
    ${at ? sql`(${at})::timestamptz` : sql`null::timestamptz`} as at`
}

const most = (sql: Sql) => sql.unsafe(String(mostShown))

/** Messages or calls, with the person. `detail` is what the text was found in. */
function talks(
  sql: Sql,
  kind: 'message' | 'call',
  { rows, detail }: { readonly rows: Fragment; readonly detail?: Fragment },
): Fragment {
  const shown = columns(sql, {
    ...{ kind, id: sql`t.id`, title: sql`coalesce(c.name, c.username)`, address: sql`c.wa_id` },
    ...{ direction: sql`t.direction`, status: sql`t.status`, at: sql`t.created_at` },
    ...(kind === 'message' && { type: sql`t.type` }),
    ...(detail && { detail }),
  })
  return sql`
    select ${shown}
    from (${rows} limit ${most(sql)}) t
    cross join lateral (select * from contacts where id = t.contact_id offset 0) c`
}

const deliveryColumns = (sql: Sql) =>
  columns(sql, {
    ...{ kind: 'delivery', id: sql`d.id`, title: sql`d.kind`, status: sql`d.state`, at: sql`d.created_at` },
    detail: sql`(select name from endpoints e where e.id = d.endpoint_id)`,
  })

type ByIdSelect = (sql: Sql, workspaceId: WorkspaceId, range: IdRange) => Fragment

/** Rows of a table of which a workspace has its own, by their key. */
const ofTable = (sql: Sql, table: string, workspaceId: WorkspaceId, { from, to }: IdRange): Fragment => sql`
  select * from ${sql(table)} where workspace_id = ${workspaceId} and id between ${from} and ${to}`

const simple =
  (table: string, shown: (sql: Sql) => Shown): ByIdSelect =>
  (sql, workspaceId, range) =>
    sql`
    select ${columns(sql, shown(sql))}
    from (${ofTable(sql, table, workspaceId, range)} limit ${most(sql)}) t`

const idSelects: Partial<Record<IdKind, ByIdSelect>> = {
  message: (sql, workspaceId, range) =>
    talks(sql, 'message', { rows: ofTable(sql, 'messages', workspaceId, range) }),
  call: (sql, workspaceId, range) => talks(sql, 'call', { rows: ofTable(sql, 'calls', workspaceId, range) }),
  conversation: (sql, workspaceId, range) => sql`
    select ${columns(sql, {
      ...{ kind: 'conversation', id: sql`t.id`, title: sql`coalesce(c.name, c.username)` },
      ...{ address: sql`coalesce(c.wa_id, t.group_id)`, at: sql`t.updated_at` },
    })}
    from (${ofTable(sql, 'conversations', workspaceId, range)} limit ${most(sql)}) t
    left join contacts c on c.id = t.contact_id`,
  campaign: simple('campaigns', (sql) => campaign(sql)),
  recipient: simple('recipients', (sql) => ({
    ...{
      kind: 'recipient',
      id: sql`t.id`,
      address: sql`t.wa_id`,
      status: sql`t.status`,
      at: sql`t.updated_at`,
    },
    ...{ parentId: sql`t.campaign_id`, detail: sql`(select name from campaigns where id = t.campaign_id)` },
  })),
  template: simple('templates', (sql) => template(sql)),
  endpoint: simple('endpoints', (sql) => endpoint(sql)),
  key: simple('api_keys', (sql) => key(sql)),
  number: simple('numbers', (sql) => number(sql)),
  audit: simple('audit', (sql) => ({
    ...{ kind: 'audit', id: sql`t.id`, title: sql`t.action`, at: sql`t.at` },
  })),
  element: simple('inbound_elements', (sql) => ({
    ...{ kind: 'element', id: sql`t.id`, status: sql`t.reason` },
  })),
  operator: (sql, workspaceId, { from, to }) => sql`
    select ${columns(sql, { kind: 'member', id: sql`o.id`, title: sql`o.name`, detail: sql`o.email`, status: sql`m.role` })}
    from operators o
    join memberships m on m.operator_id = o.id and m.workspace_id = ${workspaceId}
    where o.id between ${from} and ${to}
    limit ${most(sql)}`,
  delivery: (sql, workspaceId, range) => sql`
    select ${deliveryColumns(sql)}
    from (${ofTable(sql, 'deliveries', workspaceId, range)} limit ${most(sql)}) d`,
  event: (sql, workspaceId, range) => {
    // The deliveries of an event are made in its statement. The bounds leave the partitions of other days alone.
    const [from, to] = [hourFrom(range.from, -1), hourFrom(range.from, 1)]
    const deliveries = settledAndPending(
      sql,
      (state) => sql`
        select * from deliveries
        where workspace_id = e.workspace_id and key = e.key and event_id = e.id and ${state}
          and id between ${from} and ${to}
        limit ${most(sql)}`,
    )
    return sql`
      select ${deliveryColumns(sql)}
      from (${ofTable(sql, 'events', workspaceId, range)} limit ${most(sql)}) e
      cross join lateral (${deliveries}) d`
  },
}

const hourFrom = (id: string, hours: number) => idFloor(idTimeMs(id) + hours * 3_600_000)

const byId = (sql: Sql, workspaceId: WorkspaceId, range: IdRange): readonly Fragment[] => {
  const select = idSelects[range.kind]
  return select ? [select(sql, workspaceId, range)] : []
}

const campaign = (sql: Sql): Shown => ({
  ...{ kind: 'campaign', id: sql`t.id`, title: sql`t.name`, status: sql`t.status`, at: sql`t.created_at` },
  detail: sql`t.template_name`,
})
const template = (sql: Sql): Shown => ({
  ...{ kind: 'template', id: sql`t.id`, title: sql`t.name`, status: sql`t.status`, detail: sql`t.language` },
})
const endpoint = (sql: Sql): Shown => ({
  ...{ kind: 'endpoint', id: sql`t.id`, title: sql`t.name`, detail: sql`t.url` },
  status: sql`case when t.enabled then 'ON' else 'OFF' end`,
})
const key = (sql: Sql): Shown => ({
  ...{ kind: 'key', id: sql`t.id`, title: sql`t.name`, detail: sql`t.prefix` },
  status: sql`case when t.revoked_at is not null then 'REVOKED' when t.expires_at <= now() then 'EXPIRED' end`,
})
const number = (sql: Sql): Shown => ({
  ...{ kind: 'number', id: sql`t.id`, title: sql`nullif(t.display_name, '')`, address: sql`t.number` },
  status: sql`t.status`,
})

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
