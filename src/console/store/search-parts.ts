// What the selects of a search have in common: the columns of what they find.
import type { SearchKind } from '../../contract/records/console.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { Uuid } from '../../shared/ids.ts'

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

/** Of one kind. */
export const mostShown = 5
export interface Shown {
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
export function columns(sql: Sql, shown: Shown): Fragment {
  const text = (value: Fragment | undefined) => (value ? sql`(${value})::text` : sql`null::text`)
  const { kind, id, title, address, detail, direction, type, status, parentId, at } = shown
  return sql`${sql.unsafe(`'${kind}'`)}::text as kind, ${id} as id, ${text(title)} as title, ${text(address)} as address,
    ${text(detail)} as detail, ${text(direction)} as direction, ${text(type)} as type, ${text(status)} as status,
    ${parentId ? sql`(${parentId})::uuid` : sql`null::uuid`} as parent_id,
    ${at ? sql`(${at})::timestamptz` : sql`null::timestamptz`} as at`
}

export const most = (sql: Sql) => sql.unsafe(String(mostShown))

/** Messages or calls, with the person. `detail` is what the text was found in. */
export function talks(
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

export const campaign = (sql: Sql): Shown => ({
  ...{ kind: 'campaign', id: sql`t.id`, title: sql`t.name`, status: sql`t.status`, at: sql`t.created_at` },
  detail: sql`t.template_name`,
})
export const template = (sql: Sql): Shown => ({
  ...{ kind: 'template', id: sql`t.id`, title: sql`t.name`, status: sql`t.status`, detail: sql`t.language` },
})
export const endpoint = (sql: Sql): Shown => ({
  ...{ kind: 'endpoint', id: sql`t.id`, title: sql`t.name`, detail: sql`t.url` },
  status: sql`case when t.enabled then 'ON' else 'OFF' end`,
})
export const key = (sql: Sql): Shown => ({
  ...{ kind: 'key', id: sql`t.id`, title: sql`t.name`, detail: sql`t.prefix` },
  status: sql`case when t.revoked_at is not null then 'REVOKED' when t.expires_at <= now() then 'EXPIRED' end`,
})
export const number = (sql: Sql): Shown => ({
  ...{ kind: 'number', id: sql`t.id`, title: sql`nullif(t.display_name, '')`, address: sql`t.number` },
  status: sql`t.status`,
})
