// The routing of numbers, as operators set it. Applies the rules of delivery/endpoint-rules.ts to the rows.

import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { NumberAdministration, NumberPatch } from '../../contract/administration.ts'
import type { EventKind } from '../../contract/events.ts'
import { routingObjection } from '../../delivery/endpoint-rules.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { type EndpointId, encodeId, type NumberId, type WorkspaceId } from '../../shared/ids.ts'
import { createNumberReader, type NumberRow, numberRow, toNumberRecord } from './numbers.store.ts'

interface Target {
  readonly name: string
  readonly events: EventKind[]
}

interface Routing {
  readonly endpointId: EndpointId | null
  readonly forwardCalls: boolean
  readonly isDefault: boolean
}

export const createNumberAdminStore = (pool: Pool): NumberAdministration => ({
  list: createNumberReader(pool).list,

  route(author, id, patch) {
    return pool.begin(async (sql) => {
      // Serialises changes in a workspace: two at once could set two defaults, or break a rule together.
      await sql`select from workspaces where id = ${author.workspaceId} for no key update`
      const before = await numberRow(sql, author.workspaceId, id)
      if (before === undefined) return { type: 'notFound' }
      const routing = merged(before, patch)
      const target = await targetOf(sql, author.workspaceId, routing.endpointId)
      if (routing.endpointId !== null && target === undefined) return { type: 'endpointNotFound' }
      const objection = routingObjection(routing.forwardCalls, target)
      if (objection !== undefined) return { type: 'refused', message: objection }
      await write(sql, author.workspaceId, id, routing)
      const endpointIds = [...new Set([before.endpointId, routing.endpointId])].filter((one) => one !== null)
      await tellOwners(sql, author.workspaceId, endpointIds)
      const after = (await numberRow(sql, author.workspaceId, id)) ?? before
      await writeAudit(sql, author, {
        action: 'number.routed',
        subjectKind: 'number',
        subjectId: id,
        before: readable(before),
        after: readable(after),
      })
      return { type: 'changed', number: toNumberRecord(after), endpointIds }
    })
  },
})

function merged(before: NumberRow, patch: NumberPatch): Routing {
  const endpointId = patch.endpointId === undefined ? before.endpointId : patch.endpointId
  const kept = endpointId === null ? false : before.forwardCalls
  return {
    endpointId,
    forwardCalls: patch.forwardCalls ?? kept,
    isDefault: patch.isDefault ?? before.isDefault,
  }
}

/** Locks the endpoint for share until the commit, so that its events cannot be removed in between. */
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

/** The owner of an endpoint keeps its socket open while calls ring there, and notices a new version. */
async function tellOwners(sql: Sql, workspaceId: WorkspaceId, ids: readonly EndpointId[]): Promise<void> {
  await sql`
    with locked as (
      select id
      from endpoints
      where workspace_id = ${workspaceId} and id = any(${ids as EndpointId[]}::uuid[])
      order by id
      for no key update
    )
    update endpoints set config_version = config_version + 1 from locked where endpoints.id = locked.id`
}

const readable = (row: NumberRow) => ({
  endpointId: row.endpointId === null ? null : encodeId('endpoint', row.endpointId),
  forwardCalls: row.forwardCalls,
  isDefault: row.isDefault,
})
