// The rows of one webhook on the gateway's schema, its frame, and the statements that write one or many.
import { directBody, queuedBody } from '../../src/contract/events.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { encodeId, newId } from '../../src/shared/ids.ts'
import type { FloorWorld, Party } from './floor-world.ts'

interface Incoming {
  readonly id: string
  readonly from: string
  readonly timestamp: string
  readonly event?: 'connect' | 'terminate'
  readonly session?: { readonly sdp: string }
  readonly text?: { readonly body: string }
}
export type Value = Readonly<{ calls?: Incoming[]; messages?: Incoming[] }>
export type Payload = Readonly<{ entry: { changes: { value: Value }[] }[] }>

/** A message or call, and the event that it queues. */
export interface Row {
  readonly id: string
  readonly workspaceId: string
  readonly conversationId: string
  readonly numberId: string
  readonly contactId: string
  readonly endpointId: string
  /** The provider's id. */
  readonly theirs: string
  readonly name: string
  readonly text: string
  readonly at: Date
  readonly eventId: string
  readonly deliveryId: string
  readonly key: string
  readonly body: string
}

export interface Change {
  readonly type: 'text' | 'ring' | 'hangUp'
  readonly row: Row | undefined
  readonly theirs: string
  /** What is sent after the commit. */
  readonly frame: Buffer | undefined
}

/** Throws for what the floor was not seeded with. */
export function changeOf(world: FloorWorld, { calls, messages }: Value): Change {
  const [incoming] = calls ?? messages ?? []
  const party = incoming && world.parties.get(incoming.from)
  if (!incoming || !party) throw new Error('the floor knows only what it was seeded with')
  if (incoming.event === 'terminate')
    return { type: 'hangUp', row: undefined, theirs: incoming.id, frame: undefined }
  return calls ? ring(world, incoming, party) : receive(world, incoming, party)
}

/** The load shows no user ids. */
const unknown = { userId: null, username: null }

function ring(world: FloorWorld, call: Incoming, party: Party): Change {
  const [id, at] = [newId('call'), new Date()]
  const { conversationId, waId, name } = party
  const shared = {
    conversationId: encodeId('conversation', conversationId),
    wacid: call.id,
    durationSeconds: null,
  }
  const status = {
    callId: encodeId('call', id),
    direction: 'INBOUND',
    status: 'RINGING',
    contactWaId: waId,
    ...unknown,
  } as const
  const body = queuedBody('call.status', at, { ...shared, ...status, occurredAt: at.toISOString() })
  const facts = {
    from: waId,
    fromName: name,
    ...unknown,
    to: world.number,
    phoneNumberId: world.phoneNumberId,
    status: 'RINGING',
  } as const
  const frame = directBody('call.ringing', {
    ...shared,
    ...facts,
    id: encodeId('call', id),
    direction: 'INBOUND',
    session: { sdpType: 'offer', sdp: call.session?.sdp ?? '' },
  })
  const row = { ...rowOf(world, party), id, theirs: call.id, text: '', at, key: id, body: body.toString() }
  return { type: 'ring', row, theirs: call.id, frame }
}

function receive(world: FloorWorld, message: Incoming, party: Party): Change {
  const [id, at] = [newId('message'), new Date(Number(message.timestamp) * 1_000)]
  const { conversationId, waId, name } = party
  const text = message.text?.body ?? ''
  const ids = { messageId: encodeId('message', id), conversationId: encodeId('conversation', conversationId) }
  const who = { from: waId, fromName: name, ...unknown, to: world.number }
  const frame = queuedBody('message.received', new Date(), { ...ids, text, ...who, type: 'TEXT' })
  const row = {
    ...rowOf(world, party),
    id,
    theirs: message.id,
    text,
    at,
    key: conversationId,
    body: frame.toString(),
  }
  return { type: 'text', row, theirs: message.id, frame }
}

const rowOf = ({ workspaceId, numberId, endpointId }: FloorWorld, party: Party) => ({
  workspaceId,
  numberId,
  endpointId,
  conversationId: party.conversationId,
  contactId: party.contactId,
  name: party.name,
  eventId: newId('event'),
  deliveryId: newId('delivery'),
})

export async function commitOne(sql: Pool, { type, row, theirs }: Change): Promise<void> {
  if (!row)
    await sql`update calls set status = 'MISSED', ended_at = now(), updated_at = now() where wacid = ${theirs}`
  else {
    const kind = type === 'text' ? 'message.received' : 'call.status'
    await sql`
      with subject as (
        ${
          type === 'text'
            ? sql`
        insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
          type, status, text, from_name, created_at)
        values (${row.id}, ${row.workspaceId}, ${row.conversationId}, ${row.numberId}, ${row.contactId}, ${theirs},
          'INBOUND', 'TEXT', 'RECEIVED', ${row.text}, ${row.name}, ${row.at})`
            : sql`
        insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, from_name,
          ringing_at)
        values (${row.id}, ${row.workspaceId}, ${row.conversationId}, ${row.numberId}, ${row.contactId}, ${theirs},
          'INBOUND', 'RINGING', ${row.name}, ${row.at})`
        }
      ),
      event as (
        insert into events (id, workspace_id, kind, key, body)
        values (${row.eventId}, ${row.workspaceId}, ${kind}, ${row.key}, ${Buffer.from(row.body)})
      )
      insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
      values (${row.deliveryId}, ${row.workspaceId}, ${row.eventId}, ${row.endpointId}, ${kind}, ${row.key}, 'PENDING', now())`
  }
}

export const rowsOf = (changes: readonly Change[], type: Change['type']): Row[] =>
  changes.flatMap((change) => (change.type === type && change.row ? [change.row] : []))

/** One statement for all of a kind. Those that hang up come after those that ring. */
export async function commitMany(sql: Pool, changes: readonly Change[]): Promise<void> {
  const [texts, rings] = [rowsOf(changes, 'text'), rowsOf(changes, 'ring')]
  const ended = changes.flatMap(({ type, theirs }) => (type === 'hangUp' ? [theirs] : []))
  await Promise.all([
    texts.length > 0 && insertMany(sql, 'text', texts),
    rings.length > 0 && insertMany(sql, 'ring', rings),
    ended.length > 0 &&
      sql`
        update calls set status = 'MISSED', ended_at = now(), updated_at = now()
        where wacid = any(${ended}::text[])`,
  ])
}

function insertMany(sql: Pool, type: 'text' | 'ring', rows: readonly Row[]) {
  const kind = type === 'text' ? 'message.received' : 'call.status'
  const subject =
    type === 'text'
      ? sql`
        insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
          type, status, text, from_name, created_at)
        select id, workspace_id, conversation_id, number_id, contact_id, theirs, 'INBOUND', 'TEXT', 'RECEIVED', text, name,
          at
        from row`
      : sql`
        insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, from_name,
          ringing_at)
        select id, workspace_id, conversation_id, number_id, contact_id, theirs, 'INBOUND', 'RINGING', name, at
        from row`
  return sql`
    with ${given(sql, rows)},
    subject as (${subject}),
    event as (
      insert into events (id, workspace_id, kind, key, body)
      select event_id, workspace_id, ${kind}, key, convert_to(body, 'UTF8') from row
    )
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
    select delivery_id, workspace_id, event_id, endpoint_id, ${kind}, key, 'PENDING', now() from row`
}

/** The CTE `row`. From one JSON text: the driver escapes arrays slowly. */
export function given(sql: Pool, rows: readonly Row[]) {
  const json = JSON.stringify(
    rows.map(
      ({ workspaceId, conversationId, numberId, contactId, endpointId, eventId, deliveryId, ...rest }) => ({
        ...rest,
        workspace_id: workspaceId,
        conversation_id: conversationId,
        number_id: numberId,
        contact_id: contactId,
        endpoint_id: endpointId,
        event_id: eventId,
        delivery_id: deliveryId,
      }),
    ),
  )
  return sql`
    row as materialized (
      select *
      from jsonb_to_recordset(${json}::text::jsonb) as given (id uuid, workspace_id uuid, conversation_id uuid,
        number_id uuid, contact_id uuid, endpoint_id uuid, theirs text, name text, text text, at timestamptz,
        event_id uuid, delivery_id uuid, key uuid, body text)
    )`
}
