// What the message log adds to the records of messages: names, who sent them, and the deliveries of their events.
import type { EventKind } from '../../contract/events.ts'
import type { DeliveryState } from '../../contract/records/delivery.ts'
import type { MessageDelivery, MessageDetail } from '../../contract/records/message-log.ts'
import { iso } from '../../platform/postgres/newest-first.ts'
import { ofIds } from '../../platform/postgres/of-ids.ts'
import { settledOrPending } from '../../platform/postgres/settled-or-pending.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import {
  type ConversationId,
  type DeliveryId,
  type EndpointId,
  type EventId,
  encodeId,
  idFloor,
  type MessageId,
  type WorkspaceId,
} from '../../shared/ids.ts'

export type MessageFacts = Pick<
  MessageDetail,
  'contactName' | 'handedAt' | 'attempts' | 'sentBy' | 'deliveries'
>

export interface MessageLog {
  /** The names of the customers of these messages, in their order. */
  contactNames(workspaceId: WorkspaceId, ids: readonly MessageId[]): Promise<readonly (string | null)[]>
  facts(workspaceId: WorkspaceId, id: MessageId): Promise<MessageFacts | undefined>
}

interface Row {
  readonly conversationId: ConversationId
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly handedAt: Date | null
  readonly attempts: number
  readonly contactName: string | null
  readonly keyId: string | null
  readonly keyName: string | null
  readonly campaignId: string | null
  readonly campaignName: string | null
  readonly operatorId: string | null
  readonly operatorName: string | null
}

interface DeliveryRow {
  readonly id: DeliveryId
  readonly eventId: EventId
  readonly kind: EventKind
  readonly state: DeliveryState
  readonly createdAt: Date
  readonly endpointId: EndpointId
  readonly endpointName: string
}

export const createMessageLog = (sql: Sql): MessageLog => ({
  async contactNames(workspaceId, ids) {
    if (ids.length === 0) return []
    const rows = await sql<{ name: string | null }[]>`
      select c.name
      from unnest(${ids as MessageId[]}::uuid[]) with ordinality as asked (id, place)
      left join messages m on m.id = asked.id and m.workspace_id = ${workspaceId}
      left join contacts c on c.id = m.contact_id
      order by place`
    return rows.map(({ name }) => name)
  },

  async facts(workspaceId, id) {
    const [row] = await sql<Row[]>`
      select m.conversation_id, m.created_at, m.updated_at, m.handed_at, m.send_attempts as attempts,
        c.name as contact_name, k.id as key_id, k.name as key_name, g.id as campaign_id, g.name as campaign_name,
        sender.id as operator_id, sender.name as operator_name
      from messages m
      join contacts c on c.id = m.contact_id
      left join api_keys k on k.id = m.api_key_id
      left join campaigns g on g.id = m.campaign_id
      left join lateral (
        select o.id, o.name
        from audit a
        join operators o on o.id = a.operator_id
        where a.subject_id = m.id and a.action = 'message.sent' and a.workspace_id = m.workspace_id
        limit 1
      ) sender on true
      where m.workspace_id = ${workspaceId} and m.id = ${id}`
    if (!row) return undefined
    const { contactName, attempts } = row
    const deliveries = await deliveriesOf(sql, { workspaceId, id, ...row })
    return { contactName, handedAt: iso(row.handedAt), attempts, sentBy: senderOf(row), deliveries }
  },
})

function senderOf(row: Row): MessageFacts['sentBy'] {
  if (row.operatorId !== null)
    return { kind: 'OPERATOR', id: encodeId('operator', row.operatorId), name: row.operatorName ?? '' }
  if (row.campaignId !== null)
    return { kind: 'CAMPAIGN', id: encodeId('campaign', row.campaignId), name: row.campaignName ?? '' }
  if (row.keyId !== null) return { kind: 'KEY', id: encodeId('key', row.keyId), name: row.keyName ?? '' }
  return null
}

/** Events are made shortly after what they tell. */
const slackMs = 60_000
/** Of the conversation, from each end of the life of the message: what lies between is of a very long life. */
const mostLookedAt = 200

/** The events of a message have the key of its conversation; which of them are about it, their bodies tell. */
async function deliveriesOf(
  sql: Sql,
  message: {
    readonly workspaceId: WorkspaceId
    readonly id: MessageId
    readonly conversationId: ConversationId
    readonly createdAt: Date
    readonly updatedAt: Date
  },
): Promise<MessageDelivery[]> {
  const { workspaceId, id, conversationId, createdAt, updatedAt } = message
  const from = idFloor(createdAt.getTime() - slackMs)
  const to = idFloor(updatedAt.getTime() + slackMs)
  const select = (state: Fragment) => sql`
    select id, event_id, kind, state, created_at, endpoint_id
    from deliveries
    where workspace_id = ${workspaceId} and key = ${conversationId} and ${state} and id >= ${from} and id < ${to}`
  const ends = settledOrPending(sql).flatMap((state) =>
    [sql`order by id`, sql`order by id desc`].map(
      (order) => sql`(${select(state)} ${order} limit ${mostLookedAt})`,
    ),
  )
  const all = ends.reduce((before, one) => sql`${before} union ${one}`)
  const rows = await sql<DeliveryRow[]>`
    select d.*, e.name as endpoint_name
    from (${all}) d
    join endpoints e on e.id = d.endpoint_id
    order by d.id`
  if (rows.length === 0) return []
  const told = await sql<{ id: EventId }[]>`
    select id
    from events
    where workspace_id = ${workspaceId} and ${ofIds(sql, sql`id`, [...new Set(rows.map(({ eventId }) => eventId))])}
      and position(${Buffer.from(encodeId('message', id))}::bytea in body) > 0`
  const isAbout = new Set(told.map((event) => event.id))
  return rows.filter(({ eventId }) => isAbout.has(eventId)).map(toDelivery)
}

const toDelivery = ({
  id,
  kind,
  state,
  createdAt,
  endpointId,
  endpointName,
}: DeliveryRow): MessageDelivery => ({
  id: encodeId('delivery', id),
  event: kind,
  state,
  createdAt: createdAt.toISOString(),
  endpoint: { id: encodeId('endpoint', endpointId), name: endpointName },
})
