// Changes to endpoints by operators. Each raises config_version, so that the endpoint's owner notices it and
// drops its socket if needed, and writes its audit row in the same transaction. Delivers nothing.

import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { Author, EndpointAdministration, EndpointChange } from '../../contract/administration.ts'
import { limits } from '../../contract/limits.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { EndpointId } from '../../shared/ids.ts'
import { deliveryMachine } from '../delivery.machine.ts'
import { eventsObjection, type RoutedNumber, removalObjection } from '../endpoint-rules.ts'
import { type EndpointRow, selectEndpoint, selectEndpoints, toEndpointRecord } from './endpoint-records.ts'
import { mayBecome } from './endpoint-standing.ts'

const notFound: EndpointChange = { type: 'notFound' }

export const createEndpointAdminStore = (pool: Pool): EndpointAdministration => ({
  async list(workspaceId) {
    return (await selectEndpoints(pool, workspaceId)).map(toEndpointRecord)
  },

  async find(workspaceId, id) {
    const row = await selectEndpoint(pool, workspaceId, id)
    return row && toEndpointRecord(row)
  },

  create(author, endpoint) {
    return pool.begin(async (sql) => {
      // Without this lock, two concurrent creations would both find room for the last endpoint.
      await sql`select from workspaces where id = ${author.workspaceId} for no key update`
      const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
        select count(*)::int as count
        from endpoints
        where workspace_id = ${author.workspaceId} and deleted_at is null`
      if (count >= limits.endpointsPerWorkspace) return { type: 'full' }
      const { id, name, url, events, secret } = endpoint
      await sql`
        insert into endpoints (id, workspace_id, name, url, events, secret)
        values (${id}, ${author.workspaceId}, ${name}, ${url}, ${[...events]}, ${secret})`
      return changed(sql, author, { id, action: 'endpoint.created' })
    })
  },

  edit(author, id, patch) {
    return change(pool, author, id, async (sql, row) => {
      const { name = row.name, url = row.url, events = row.events } = patch
      const objection = eventsObjection(events, await numbersOf(sql, id))
      if (objection !== undefined) return { type: 'inUse', message: objection }
      await sql`
        update endpoints
        set name = ${name}, url = ${url}, events = ${[...events]}, ${bumped(sql)},
          url_changed_at = case when url = ${url} then url_changed_at else now() end
        where id = ${id}`
      return changed(sql, author, { id, action: 'endpoint.edited', before: row })
    })
  },

  rotate(author, id, rotation) {
    return change(pool, author, id, async (sql, row) => {
      const until = rotation.previousUntil
      await sql`
        update endpoints
        set previous_secret = ${until === null ? null : sql`secret`}, previous_secret_until = ${until},
          secret = ${rotation.secret}, ${bumped(sql)}
        where id = ${id}`
      return changed(sql, author, { id, action: 'endpoint.secret_rotated', before: row })
    })
  },

  enable(author, id) {
    return change(pool, author, id, async (sql, row) => {
      if (row.enabled) return { type: 'changed', endpoint: toEndpointRecord(row) }
      await holdWaiting(sql, id)
      await sql`
        update endpoints e
        set enabled = true, consecutive_failures = 0, disabled_at = null, disabled_reason = null,
          disabled_by = null, turned_on_version = config_version + 1, ${bumped(sql)}
        where id = ${id} and ${mayBecome(sql, 'ON')}`
      return changed(sql, author, { id, action: 'endpoint.enabled', before: row })
    })
  },

  disable(author, id) {
    return change(pool, author, id, async (sql, row) => {
      if (!row.enabled) return { type: 'changed', endpoint: toEndpointRecord(row) }
      await sql`
        update endpoints e
        set enabled = false, disabled_at = now(), disabled_reason = 'OPERATOR', disabled_by = ${author.operatorId},
          ${bumped(sql)}
        where id = ${id} and ${mayBecome(sql, 'OFF')}`
      return changed(sql, author, { id, action: 'endpoint.disabled', before: row })
    })
  },

  remove(author, id) {
    return change(pool, author, id, async (sql, row) => {
      const objection = removalObjection(await numbersOf(sql, id))
      if (objection !== undefined) return { type: 'inUse', message: objection }
      await sql`
        update endpoints e
        set deleted_at = now(), enabled = false, previous_secret = null, ${bumped(sql)}
        where id = ${id} and ${mayBecome(sql, 'DELETED')}`
      await audited(sql, author, { id, action: 'endpoint.deleted', before: row })
      return { type: 'changed', endpoint: toEndpointRecord(row) }
    })
  },
})

/**
 * Holds what the sweep has not held since the endpoint went off: turning it on must not send anything by
 * itself. Locked rows are being settled by an attempt, which holds them itself.
 */
const holdWaiting = (sql: Sql, id: EndpointId) => sql`
  update deliveries
  set state = 'HELD', next_attempt_at = null
  where id in (
    select id
    from deliveries
    where endpoint_id = ${id} and state in (${sources(sql, deliveryMachine, 'HELD')})
    for update skip locked)`

const bumped = (sql: Sql) => sql`config_version = config_version + 1, updated_at = now()`

/**
 * Runs `work` with the endpoint locked. An assignment takes a share of the same lock before it checks its
 * rule. So when an assignment and an edit exclude each other, the second sees the first.
 */
const change = (
  pool: Pool,
  author: Author,
  id: EndpointId,
  work: (sql: Sql, row: EndpointRow) => Promise<EndpointChange>,
): Promise<EndpointChange> =>
  pool.begin(async (sql) => {
    const row = await selectEndpoint(sql, author.workspaceId, id, 'locked')
    return row === undefined ? notFound : work(sql, row)
  })

const numbersOf = (sql: Sql, id: EndpointId) => sql<RoutedNumber[]>`
  select number, forward_calls
  from numbers
  where endpoint_id = ${id}
  order by number`

interface Step {
  readonly id: EndpointId
  readonly action: string
  readonly before?: EndpointRow
}

async function changed(sql: Sql, author: Author, step: Step): Promise<EndpointChange> {
  const after = await selectEndpoint(sql, author.workspaceId, step.id)
  if (after === undefined) return notFound
  await audited(sql, author, step, after)
  return { type: 'changed', endpoint: toEndpointRecord(after) }
}

const audited = (sql: Sql, author: Author, step: Step, after?: EndpointRow): Promise<unknown> =>
  writeAudit(sql, author, {
    action: step.action,
    subjectKind: 'endpoint',
    subjectId: step.id,
    ...(step.before && { before: readable(step.before) }),
    ...(after && { after: readable(after) }),
  })

const readable = ({ name, url, events, enabled }: EndpointRow) => ({ name, url, events, enabled })
