// Whom and what the events of a page of deliveries are about: everything by its primary key, in one statement.

import type { Sql } from '../../platform/postgres/sql.ts'
import { phoneOf } from '../../shared/address.ts'
import { encodeId, type Uuid } from '../../shared/ids.ts'
import type { SubjectStore } from '../deliveries/explained-log.ts'
import type { Found } from '../deliveries/subject.ts'

interface Row {
  readonly namedId: Uuid
  readonly shownId: Uuid
  readonly name: string | null
  readonly waId: string
  readonly username: string | null
  readonly template: string | null
  readonly campaignId: string | null
  readonly campaign: string | null
}

export const createSubjectStore = (sql: Sql): SubjectStore => ({
  async find(workspaceId, named) {
    const ids = {
      messages: idsOf(named.map(({ messageId }) => messageId)),
      calls: idsOf(named.map(({ callId }) => callId)),
      conversations: idsOf(named.map(({ conversationId }) => conversationId)),
    }
    if (Object.values(ids).every(({ length }) => length === 0)) return new Map()
    const rows = await sql<Row[]>`
      select m.id as named_id, m.id as shown_id, c.name, c.wa_id, c.username, m.template->>'name' as template,
        g.id as campaign_id, g.name as campaign
      from messages m
      cross join lateral ${contactOf(sql, 'm.contact_id')} c
      left join campaigns g on g.id = m.campaign_id
      where m.id = any(${ids.messages}::uuid[]) and m.workspace_id = ${workspaceId}
      union all
      select k.id, k.id, c.name, c.wa_id, c.username, null, null, null
      from calls k
      cross join lateral ${contactOf(sql, 'k.contact_id')} c
      where k.id = any(${ids.calls}::uuid[]) and k.workspace_id = ${workspaceId}
      union all
      select v.id, coalesce(v.merged_into, v.id), c.name, c.wa_id, c.username, null, null, null
      from conversations v
      cross join lateral ${contactOf(sql, 'v.contact_id')} c
      where v.id = any(${ids.conversations}::uuid[]) and v.workspace_id = ${workspaceId}`
    return new Map(rows.map((row) => [row.namedId, toFound(row)]))
  },
})

/** By its id, one for each row: a join could read all contacts to find fifty. */
const contactOf = (sql: Sql, id: string) =>
  sql`(select name, wa_id, username from contacts where id = ${sql(id)} limit 1)`

const idsOf = (given: readonly (Uuid | undefined)[]): Uuid[] => [
  ...new Set(given.filter((id) => id !== undefined)),
]

const toFound = ({ shownId, name, waId, username, template, campaignId, campaign }: Row): Found => ({
  shownId,
  contact: { name, number: phoneOf(waId), username },
  template,
  campaign:
    campaignId === null || campaign === null
      ? null
      : { id: encodeId('campaign', campaignId), name: campaign },
})
