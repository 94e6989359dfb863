// Sends to the provider: stored by the API, carried out by the worker.
import { Agent, fetch } from 'undici'
import { statement } from './database.js'
import { emit } from './events.js'
import { attemptTimeoutMs, concurrency } from './settings.js'
import { componentsOf, textOf } from './template.js'
import { partyOf } from './webhooks.js'

const findTemplate = statement('find_template', 'select * from templates where name = $1 and language = $2')
const findSender = statement(
  'find_sender',
  `select phone_number_id from numbers
   where case when $1::text is null then is_default else number = $1 end`,
)
const insertOutbound = statement(
  'insert_outbound',
  `with message as (
     insert into messages (conversation_id, direction, type, status, text, template, idempotency_key)
     values ($1, 'OUTBOUND', $2, 'QUEUED', $3, $4, $5)
     on conflict (idempotency_key) do nothing
     returning *
   ), touched as (
     update conversations v set last_message_id = message.id, updated_at = now()
     from message where v.id = $1
   )
   select * from message`,
)
const earlierSend = statement(
  'earlier_send',
  `select m.*, c.wa_id as "waId", n.number
   from messages m
   join conversations v on v.id = m.conversation_id
   join contacts c on c.id = v.contact_id
   join numbers n on n.id = v.number_id
   where m.idempotency_key = $1`,
)
const findOutgoing = statement(
  'find_outgoing',
  `select m.id, m.status, m.text, m.template, m.provider_message_id, m.conversation_id, c.wa_id, n.phone_number_id,
     n.endpoint_id, t.components, t.is_named
   from messages m
   join conversations v on v.id = m.conversation_id
   join contacts c on c.id = v.contact_id
   join numbers n on n.id = v.number_id
   left join templates t on t.name = m.template ->> 'name' and t.language = m.template ->> 'language'
   where m.id = $1`,
)
const noteAccepted = statement(
  'note_accepted',
  'update messages set provider_message_id = $2 where id = $1 and provider_message_id is null',
)
const noteRefused = statement(
  'note_refused',
  `update messages set status = 'FAILED', failed_at = now(), error = $2
   where id = $1 and status = 'QUEUED'
   returning id`,
)

export class Refused extends Error {
  constructor(status, code, message) {
    super(message)
    this.statusCode = status
    this.code = code
  }
}

/** Stores a send and its job. Returns the row, and whether an earlier request had the same key. */
export async function acceptSend(database, queue, { to, from, template, text, idempotencyKey = null }) {
  const { row, jobs } = await database.transaction(async (client) => {
    const content = template ? await filled(client, template) : { text: text.body }
    const [sender] = await findSender(client, [from ?? null])
    if (!sender) throw new Refused(422, 'NO_SENDER_NUMBER', 'no number to send from')
    const party = await partyOf(client, sender.phone_number_id, to.slice(1), null)
    const values = [template ? 'TEMPLATE' : 'TEXT', content.text, content.template ?? null, idempotencyKey]
    const [written] = await insertOutbound(client, [party.conversation_id, ...values])
    const owed = written ? [{ name: 'send', data: { messageId: written.id } }] : []
    await queue.addWithin?.(client, owed)
    return { row: written && { ...written, waId: party.waId, number: party.number }, jobs: owed }
  })
  await queue.addAfter?.(jobs)
  if (row) return { row, isReplayed: false }
  const [first] = await earlierSend(database.pool, [idempotencyKey])
  return { row: first, isReplayed: true }
}

async function filled(client, { name, language, variables = {} }) {
  const [template] = await findTemplate(client, [name, language])
  if (!template) throw new Refused(422, 'TEMPLATE_NOT_FOUND', `no template ${name}`)
  return { text: textOf(template, variables), template: { name, language, variables } }
}

const agent = new Agent({ connections: concurrency })

/** The job of a send: asks the provider and notes its answer. Throws where it shall be tried again. */
export async function carryOut(database, queue, { providerUrl, accessToken }, { messageId }) {
  const [message] = await findOutgoing(database.pool, [messageId])
  if (message?.status !== 'QUEUED' || message.provider_message_id !== null) return
  const response = await fetch(`${providerUrl}/v24.0/${message.phone_number_id}/messages`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: `+${message.wa_id}`,
      ...contentOf(message),
      biz_opaque_callback_data: String(message.id),
    }),
    signal: AbortSignal.timeout(attemptTimeoutMs),
  })
  const answer = await response.json()
  if (response.ok) return noteAccepted(database.pool, [messageId, answer.messages[0].id])
  if (response.status === 429 || response.status >= 500)
    throw new Error(`the provider answered ${response.status}`)
  return refuse(database, queue, message, answer.error ?? {})
}

function contentOf({ template, text, ...filledFrom }) {
  if (!template) return { type: 'text', text: { body: text } }
  const { name, language, variables } = template
  const components = componentsOf(filledFrom, variables)
  return { type: 'template', template: { name, language: { code: language }, components } }
}

async function refuse(database, queue, message, { code = 0, message: title = 'refused' }) {
  const jobs = await database.transaction(async (client) => {
    const [row] = await noteRefused(client, [message.id, { code, title }])
    if (!row) return []
    const owed = await emit(client, message.endpoint_id, 'message.status', {
      messageId: String(message.id),
      conversationId: String(message.conversation_id),
      status: 'FAILED',
      occurredAt: new Date().toISOString(),
      error: { title },
    })
    await queue.addWithin?.(client, owed)
    return owed
  })
  await queue.addAfter?.(jobs)
}
