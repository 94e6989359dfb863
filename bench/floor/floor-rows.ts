// Writes the rows of one webhook with one statement on the gateway's schema, and builds its frame.
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
type Frame = Buffer | undefined

/** Commits what the webhook reports. Returns the frame to send, or undefined when there is none. */
export async function apply(sql: Pool, world: FloorWorld, { calls, messages }: Value): Promise<Frame> {
  const [incoming] = calls ?? messages ?? []
  const party = incoming && world.parties.get(incoming.from)
  if (!incoming || !party) throw new Error('the floor knows only what it was seeded with')
  if (incoming.event === 'terminate') return hangUp(sql, incoming)
  return calls ? ring(sql, world, incoming, party) : receive(sql, world, incoming, party)
}

async function ring(sql: Pool, world: FloorWorld, call: Incoming, party: Party): Promise<Frame> {
  const { workspaceId, numberId, number, phoneNumberId, endpointId } = world
  const { conversationId, contactId, waId, name } = party
  const [id, eventId, at] = [newId('call'), newId('event'), new Date()]
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
  await sql`
    with call as (
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, from_name,
        ringing_at)
      values (${id}, ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, ${call.id}, 'INBOUND', 'RINGING',
        ${name}, ${at})
    ),
    event as (
      insert into events (id, workspace_id, kind, key, body)
      values (${eventId}, ${workspaceId}, 'call.status', ${id}, ${body})
    )
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
    values (new_uuid(), ${workspaceId}, ${eventId}, ${endpointId}, 'call.status', ${id}, 'PENDING', ${at})`
  const facts = {
    from: waId,
    fromName: name,
    ...unknown,
    to: number,
    phoneNumberId,
    status: 'RINGING',
  } as const
  const session = { sdpType: 'offer', sdp: call.session?.sdp ?? '' } as const
  return directBody('call.ringing', {
    ...shared,
    ...facts,
    id: encodeId('call', id),
    direction: 'INBOUND',
    session,
  })
}

/** The load shows no user ids. */
const unknown = { userId: null, username: null }

async function hangUp(sql: Pool, call: Incoming): Promise<Frame> {
  await sql`
    update calls set status = 'MISSED', ended_at = now(), updated_at = now()
    where wacid = ${call.id}`
  return undefined
}

async function receive(sql: Pool, world: FloorWorld, message: Incoming, party: Party): Promise<Frame> {
  const { workspaceId, numberId, number, endpointId } = world
  const { conversationId, contactId, waId, name } = party
  const [id, eventId, at] = [newId('message'), newId('event'), new Date()]
  const text = message.text?.body ?? ''
  const ids = { messageId: encodeId('message', id), conversationId: encodeId('conversation', conversationId) }
  const who = { from: waId, fromName: name, ...unknown, to: number }
  const body = queuedBody('message.received', at, { ...ids, text, ...who, type: 'TEXT' })
  await sql`
    with message as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
        type, status, text, from_name, created_at)
      values (${id}, ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, ${message.id}, 'INBOUND', 'TEXT',
        'RECEIVED', ${text}, ${name}, ${new Date(Number(message.timestamp) * 1_000)})
    ),
    event as (
      insert into events (id, workspace_id, kind, key, body)
      values (${eventId}, ${workspaceId}, 'message.received', ${conversationId}, ${body})
    )
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
    values (new_uuid(), ${workspaceId}, ${eventId}, ${endpointId}, 'message.received', ${conversationId}, 'PENDING',
      ${at})`
  return body
}
