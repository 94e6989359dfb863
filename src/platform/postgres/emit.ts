// The outbox: the statement that makes a change also writes its events and their deliveries.
import type { Sql } from './sql.ts'

export type { WrittenDelivery } from '../../contract/dispatch.ts'

/**
 * CTEs to append to a statement with a CTE `occurred (event_id, workspace_id, kind, key, body, routed_to,
 * after)`. They write the events, and one delivery for every endpoint that is subscribed now (HELD if the
 * endpoint is off). `routed_to` limits an event to one endpoint (per-number routing). `after` is the previous
 * event of the same key, where several nodes may write events of that key. The last CTE is `delivery`: select
 * `writtenDeliveries` from it. The sweeper looks at a new delivery only after 3 s, so that the fast path can
 * send it first.
 */
export const emit = (sql: Sql) => sql`
  target as (
    -- Found by its id, one for each event: a join could read every endpoint to find one.
    select occurred.event_id, occurred.workspace_id, occurred.kind, occurred.key, e.id as endpoint_id, e.enabled
    from occurred
    cross join lateral (select * from endpoints where id = occurred.routed_to limit 1) e
    where e.workspace_id = occurred.workspace_id and e.deleted_at is null and occurred.kind = any(e.events)
    union all
    select occurred.event_id, occurred.workspace_id, occurred.kind, occurred.key, e.id, e.enabled
    from occurred
    join endpoints e on e.workspace_id = occurred.workspace_id
    where occurred.routed_to is null and e.deleted_at is null and occurred.kind = any(e.events)
  ),
  event as (
    insert into events (id, workspace_id, kind, key, body)
    select event_id, workspace_id, kind, key, body
    from occurred
    where event_id in (select event_id from target)
  ),
  delivery as (
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
    select new_uuid(), workspace_id, event_id, endpoint_id, kind, key,
      case when enabled then 'PENDING' else 'HELD' end,
      case when enabled then now() + interval '3 seconds' end
    from target
    order by event_id
    returning id, endpoint_id, event_id, workspace_id, kind, key, state
  )`

export interface OneEvent {
  readonly eventId: string
  readonly workspaceId: string
  readonly kind: string
  readonly key: string
  readonly body: Uint8Array
  /** The CTE that has a row where the event is to be written. */
  readonly after: string
  /** The number whose routing it follows. */
  readonly routedBy: string
}

/** The same for one event whose parts are all known: `delivery (id, endpoint_id, state)`, and nothing comes back twice. */
export const emitOne = (
  sql: Sql,
  { eventId, workspaceId, kind, key, body, after, routedBy }: OneEvent,
) => sql`
  target as (
    select e.id, e.enabled
    from ${sql(after)}
    cross join lateral (
      select * from endpoints where id = (select endpoint_id from numbers where id = ${routedBy}) limit 1
    ) e
    where e.workspace_id = ${workspaceId} and e.deleted_at is null and ${kind} = any(e.events)
    union all
    select e.id, e.enabled
    from ${sql(after)}
    join endpoints e on e.workspace_id = ${workspaceId}
    where (select endpoint_id from numbers where id = ${routedBy}) is null
      and e.deleted_at is null and ${kind} = any(e.events)
  ),
  event as (
    insert into events (id, workspace_id, kind, key, body)
    select ${eventId}::uuid, ${workspaceId}::uuid, ${kind}, ${key}::uuid, ${Buffer.from(body)}::bytea
    where exists (select from target)
  ),
  delivery as (
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
    select new_uuid(), ${workspaceId}::uuid, ${eventId}::uuid, id, ${kind}, ${key}::uuid,
      case when enabled then 'PENDING' else 'HELD' end,
      case when enabled then now() + interval '3 seconds' end
    from target
    returning id, endpoint_id, state
  )`

/** The deliveries to dispatch, with the bytes to send. HELD ones are not dispatched. */
export const writtenDeliveries = (sql: Sql) => sql`
  select delivery.id as delivery_id, delivery.event_id, delivery.endpoint_id, delivery.workspace_id, delivery.kind,
    delivery.key, occurred.after, occurred.body
  from delivery
  join occurred on occurred.event_id = delivery.event_id
  where delivery.state = 'PENDING'
  order by delivery.id`

/**
 * From a CTE `input (id, ...)` of messages: locks them in the order of their ids, so that two batches cannot
 * deadlock, and returns their states before the change, with the time of the latest.
 */
export const messagesLocked = (sql: Sql) => sql`
  message_lock as (
    select id, status, send_state, greatest(created_at, sent_at, delivered_at, read_at) as latest_at
    from messages
    where id = any(array(select id from input))
    order by id
    for no key update
  )`

/**
 * From a CTE `changed (event_id, workspace_id, conversation_id, body)`, body in base64, to `occurred`: status
 * events, each with the previous event of its conversation. Locks the conversations in the order of their
 * ids, so that two statements with several conversations cannot deadlock.
 */
export const statusesOccurred = (sql: Sql) => sql`
  locked as (
    select id, last_event_id
    from conversations
    where id in (select conversation_id from changed)
    order by id
    for no key update
  ),
  chained as (
    select changed.*,
      coalesce(lag(event_id) over in_turn, locked.last_event_id) as after,
      lead(event_id) over in_turn is null as is_last
    from changed
    join locked on locked.id = changed.conversation_id
    window in_turn as (partition by changed.conversation_id order by event_id)
  ),
  linked as (
    update conversations c
    set last_event_id = chained.event_id
    from chained
    where c.id = chained.conversation_id and chained.is_last
  ),
  occurred as (
    select event_id, workspace_id, 'message.status' as kind, conversation_id as key, decode(body, 'base64') as body,
      null::uuid as routed_to, after
    from chained
  )`
