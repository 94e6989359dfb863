// Routing of numbers, as operators set it. The rules are webhooks/endpoint-rules.ts; here they meet the rows.
import type { NumberAdministration, NumberPatch } from '../contract/administration.ts'
import type { EventKind } from '../contract/events.ts'
import type { NumberRecord } from '../contract/records/catalog.ts'
import { type EndpointId, encodeId, type NumberId, type WorkspaceId } from '../shared/ids.ts'
import { routingObjection } from '../webhooks/endpoint-rules.ts'
import { writeAudit } from './audit.store.ts'
import { olderThan } from './keyset.ts'
import { newestFirst } from './newest-first.ts'
import type { Pool, Sql } from './sql.ts'

interface Row {
  readonly id: NumberId
  readonly phoneNumberId: string
  readonly number: string
  readonly displayName: string
  readonly status: string
  readonly qualityRating: string
  readonly messagesPerSecond: number
  readonly isDefault: boolean
  readonly endpointId: EndpointId | null
  readonly endpointName: string | null
  readonly forwardCalls: boolean
  readonly createdAt: Date
}

interface Target {
  readonly name: string
  readonly events: EventKind[]
}

interface Routing {
  readonly endpointId: EndpointId | null
  readonly forwardCalls: boolean
  readonly isDefault: boolean
}

export const numbersAdminStore = (pool: Pool): NumberAdministration => ({
  async list(workspaceId, page) {
    const rows = await pool<Row[]>`
      ${selected(pool)}
      where n.workspace_id = ${workspaceId} ${olderThan(pool, 'n', page)}
      order by n.id desc
      limit ${page.limit + 1}`
    return newestFirst(rows, page, toRecord)
  },

  route(author, id, patch) {
    return pool.begin(async (sql) => {
      // One at a time in a workspace: two new defaults, or two halves of a forbidden pair, cannot pass each other.
      await sql`select from workspaces where id = ${author.workspaceId} for no key update`
      const before = await find(sql, author.workspaceId, id)
      if (before === undefined) return { type: 'notFound' }
      const routing = merged(before, patch)
      const target = await targetOf(sql, author.workspaceId, routing.endpointId)
      if (routing.endpointId !== null && target === undefined) return { type: 'endpointNotFound' }
      const objection = routingObjection(routing.forwardCalls, target)
      if (objection !== undefined) return { type: 'refused', message: objection }
      await write(sql, author.workspaceId, id, routing)
      const after = (await find(sql, author.workspaceId, id)) ?? before
      await writeAudit(sql, author, {
        action: 'number.routed',
        subjectKind: 'number',
        subjectId: id,
        before: readable(before),
        after: readable(after),
      })
      return { type: 'changed', number: toRecord(after) }
    })
  },
})

function merged(before: Row, patch: NumberPatch): Routing {
  const endpointId = patch.endpointId === undefined ? before.endpointId : patch.endpointId
  const kept = endpointId === null ? false : before.forwardCalls
  return {
    endpointId,
    forwardCalls: patch.forwardCalls ?? kept,
    isDefault: patch.isDefault ?? before.isDefault,
  }
}

/** Shares the endpoint's lock until the commit, so that its events cannot be taken away in between. */
async function targetOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  id: EndpointId | null,
): Promise<Target | undefined> {
  if (id === null) return undefined
  const [target] = await sql<Target[]>`
    select name, events
    from endpoints
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
    for share`
  return target
}

async function write(sql: Sql, workspaceId: WorkspaceId, id: NumberId, routing: Routing): Promise<void> {
  if (routing.isDefault)
    await sql`
      update numbers
      set is_default = false, updated_at = now()
      where workspace_id = ${workspaceId} and is_default and id <> ${id}`
  await sql`
    update numbers
    set endpoint_id = ${routing.endpointId}, forward_calls = ${routing.forwardCalls},
      is_default = ${routing.isDefault}, updated_at = now()
    where workspace_id = ${workspaceId} and id = ${id}`
}

async function find(sql: Sql, workspaceId: WorkspaceId, id: NumberId): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`${selected(sql)} where n.workspace_id = ${workspaceId} and n.id = ${id}`
  return row
}

const selected = (sql: Sql) => sql`
  select n.id, n.phone_number_id, n.number, n.display_name, n.status, n.quality_rating, n.messages_per_second,
    n.is_default, n.endpoint_id, e.name as endpoint_name, n.forward_calls, n.created_at
  from numbers n
  left join endpoints e on e.id = n.endpoint_id`

const readable = (row: Row) => ({
  endpointId: row.endpointId === null ? null : encodeId('endpoint', row.endpointId),
  forwardCalls: row.forwardCalls,
  isDefault: row.isDefault,
})

const toRecord = (row: Row): NumberRecord => ({
  id: encodeId('number', row.id),
  phoneNumberId: row.phoneNumberId,
  number: row.number,
  displayName: row.displayName,
  status: row.status,
  qualityRating: row.qualityRating,
  messagesPerSecond: row.messagesPerSecond,
  isDefault: row.isDefault,
  replyRouting:
    row.endpointId === null
      ? null
      : { endpointId: encodeId('endpoint', row.endpointId), endpointName: row.endpointName ?? '' },
  forwardCalls: row.forwardCalls,
  createdAt: row.createdAt.toISOString(),
})
