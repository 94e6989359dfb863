// Finds the records that an id, or the beginning of one, names: by their key.

import { settledAndPending } from '../../platform/postgres/settled-or-pending.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { type IdKind, type IdRange, idFloor, idTimeMs, type WorkspaceId } from '../../shared/ids.ts'
import {
  campaign,
  columns,
  endpoint,
  key,
  most,
  number,
  type Shown,
  talks,
  template,
} from './search-parts.ts'

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

/** What was deleted has no page. */
const notDeleted =
  (table: string, shown: (sql: Sql) => Shown): ByIdSelect =>
  (sql, workspaceId, range) =>
    sql`
    select ${columns(sql, shown(sql))}
    from (${ofTable(sql, table, workspaceId, range)} and deleted_at is null limit ${most(sql)}) t`

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
  campaign: notDeleted('campaigns', (sql) => campaign(sql)),
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
  endpoint: notDeleted('endpoints', (sql) => endpoint(sql)),
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

export const byId = (sql: Sql, workspaceId: WorkspaceId, range: IdRange): readonly Fragment[] => {
  const select = idSelects[range.kind]
  return select ? [select(sql, workspaceId, range)] : []
}
