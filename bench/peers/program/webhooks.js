// Applies the provider's webhooks. Each change is one transaction with its rows, events and deliveries.
import { statement } from './database.js'
import { emit } from './events.js'

const findParty = statement(
  'find_party',
  `select n.id as number_id, n.number, n.phone_number_id, n.forward_calls, n.endpoint_id,
     c.id as contact_id, c.name, v.id as conversation_id
   from numbers n
   left join contacts c on c.wa_id = $2
   left join conversations v on v.number_id = n.id and v.contact_id = c.id
   where n.phone_number_id = $1`,
)
const addContact = statement(
  'add_contact',
  `insert into contacts (wa_id, name) values ($1, $2)
   on conflict (wa_id) do update set name = coalesce(excluded.name, contacts.name)
   returning id`,
)
const addConversation = statement(
  'add_conversation',
  `insert into conversations (number_id, contact_id) values ($1, $2)
   on conflict (number_id, contact_id) do update set number_id = excluded.number_id
   returning id`,
)
const insertInbound = statement(
  'insert_inbound',
  `with message as (
     insert into messages (conversation_id, provider_message_id, direction, type, status, text, created_at)
     values ($1, $2, 'INBOUND', $3, 'RECEIVED', $4, to_timestamp($5))
     on conflict (provider_message_id) do nothing
     returning id
   )
   update conversations v
   set last_message_id = message.id, unread_count = unread_count + 1, updated_at = now()
   from message where v.id = $1
   returning message.id`,
)
const takeStatus = (by, condition) =>
  statement(
    `take_status_${by}`,
    `update messages m
     set status = $2,
       sent_at = case when $2 = 'SENT' then to_timestamp($3) else sent_at end,
       delivered_at = case when $2 = 'DELIVERED' then to_timestamp($3) else delivered_at end,
       read_at = case when $2 = 'READ' then to_timestamp($3) else read_at end,
       failed_at = case when $2 = 'FAILED' then to_timestamp($3) else failed_at end,
       provider_message_id = coalesce(provider_message_id, $4),
       error = $5
     from conversations v join numbers n on n.id = v.number_id
     where ${condition} and v.id = m.conversation_id and m.status = any ($6::text[])
     returning m.id, m.conversation_id, n.endpoint_id`,
  )
const takeOfOurs = takeStatus('ours', 'm.id = $1::bigint')
const takeOfTheirs = takeStatus('theirs', 'm.provider_message_id = $1')
const isKnown = statement('is_known', 'select 1 from messages where id = $1 or provider_message_id = $2')
const insertCall = statement(
  'insert_call',
  `insert into calls (conversation_id, wacid, direction, status) values ($1, $2, 'INBOUND', 'RINGING')
   on conflict (wacid) do nothing
   returning id`,
)
const endCall = statement(
  'end_call',
  `update calls
   set status = case when accepted_at is null then 'MISSED' else 'COMPLETED' end, ended_at = now()
   where wacid = $1 and ended_at is null
   returning id, conversation_id, status`,
)
const findCall = statement('find_call', 'select id from calls where wacid = $1')

/** The statuses that each one may follow. */
const earlier = {
  SENT: ['QUEUED'],
  DELIVERED: ['QUEUED', 'SENT'],
  READ: ['QUEUED', 'SENT', 'DELIVERED'],
  FAILED: ['QUEUED', 'SENT'],
}

export function createWebhooks(database, queue) {
  /** Jobs of a queue in Postgres are written by the same transaction; those of another one follow the commit. */
  async function change(work) {
    const jobs = await database.transaction(async (client) => {
      const owed = await work(client)
      await queue.addWithin?.(client, owed)
      return owed
    })
    await queue.addAfter?.(jobs)
  }

  const works = {
    messages: (facts, message) => async (client) =>
      receive(client, await partyOf(client, facts.number, message.from, facts.name), message),
    calls: (facts, call) => async (client) => {
      const party = await partyOf(client, facts.number, call.from, facts.name)
      return call.event === 'terminate' ? hangUp(client, party, call) : ring(client, party, call)
    },
    statuses: (_facts, status) => (client) => (status.type === 'call' ? [] : applyStatus(client, status)),
  }

  return async function apply(payload) {
    for (const { value } of payload.entry.flatMap((entry) => entry.changes)) {
      const facts = {
        number: value.metadata?.phone_number_id,
        name: value.contacts?.[0]?.profile?.name ?? null,
      }
      for (const [kind, work] of Object.entries(works)) {
        for (const one of value[kind] ?? []) await change(work(facts, one))
      }
    }
  }
}

/** Whom the webhook is about; contact and conversation are made where they are new. */
export async function partyOf(client, phoneNumberId, waId, name) {
  const [found] = await findParty(client, [phoneNumberId, waId])
  if (!found) throw new Error(`no number ${phoneNumberId}`)
  if (found.conversation_id !== null) return { ...found, waId }
  const [contact] = await addContact(client, [waId, name])
  const [conversation] = await addConversation(client, [found.number_id, contact.id])
  return { ...found, waId, name, contact_id: contact.id, conversation_id: conversation.id }
}

async function receive(client, party, message) {
  const type = message.type.toUpperCase()
  const text = message.text?.body ?? ''
  const { conversation_id: conversation, endpoint_id: endpointId, waId, name, number } = party
  const [row] = await insertInbound(client, [conversation, message.id, type, text, Number(message.timestamp)])
  if (!row) return []
  const data = { messageId: String(row.id), conversationId: String(conversation), text, from: waId }
  return emit(client, endpointId, 'message.received', { ...data, fromName: name, to: number, type })
}

async function applyStatus(client, { id, status, timestamp, errors, biz_opaque_callback_data: opaque }) {
  const taken = status.toUpperCase()
  if (!earlier[taken]) return []
  const error = errors?.[0] ? { code: errors[0].code, title: errors[0].title } : null
  const facts = [taken, Number(timestamp), id, error, earlier[taken]]
  const messageId = /^\d+$/.test(opaque ?? '') ? opaque : null
  const [row] = messageId
    ? await takeOfOurs(client, [messageId, ...facts])
    : await takeOfTheirs(client, [id, ...facts])
  if (!row) {
    // It was faster than the answer to the send: refused, so that the provider repeats it.
    if ((await isKnown(client, [messageId, id])).length === 0) throw new Error(`no message ${id}`)
    return []
  }
  return emit(client, row.endpoint_id, 'message.status', {
    messageId: String(row.id),
    conversationId: String(row.conversation_id),
    providerMessageId: id,
    status: taken,
    occurredAt: new Date(Number(timestamp) * 1_000).toISOString(),
    ...(error && { error: { title: error.title } }),
  })
}

async function ring(client, party, { id: wacid, session }) {
  const [row] = await insertCall(client, [party.conversation_id, wacid])
  if (!row) return []
  const call = callOf(party, { id: row.id, wacid, status: 'RINGING' })
  const jobs = await emitCall(client, party, call)
  if (!party.forward_calls) return jobs
  const ringing = { event: 'call.ringing', channel: 'CHAT', call: { ...call, session: sessionOf(session) } }
  const direct = { endpointId: party.endpoint_id, body: JSON.stringify(ringing) }
  return [{ name: 'ring', data: direct }, ...jobs]
}

async function hangUp(client, party, { id: wacid }) {
  const [row] = await endCall(client, [wacid])
  if (row) return emitCall(client, party, callOf(party, { id: row.id, wacid, status: row.status }))
  // It was faster than the connect: refused, so that the provider repeats it.
  if ((await findCall(client, [wacid])).length === 0) throw new Error(`no call ${wacid}`)
  return []
}

const sessionOf = (session) => ({ sdpType: session?.sdp_type ?? 'offer', sdp: session?.sdp ?? '' })

const callOf = (party, { id, wacid, status }) => ({
  id: String(id),
  wacid,
  direction: 'INBOUND',
  status,
  from: party.waId,
  fromName: party.name,
  to: party.number,
  phoneNumberId: party.phone_number_id,
  conversationId: String(party.conversation_id),
  durationSeconds: null,
})

const emitCall = (client, party, { id, wacid, direction, status, conversationId, durationSeconds }) =>
  emit(client, party.endpoint_id, 'call.status', {
    callId: id,
    conversationId,
    wacid,
    direction,
    status,
    contactWaId: party.waId,
    occurredAt: new Date().toISOString(),
    durationSeconds,
  })
