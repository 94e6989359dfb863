// POST /messages/chat: checks the request, makes the message durable, then starts the send to the provider.
import { createHash } from 'node:crypto'
import type { Sender } from '../contract/caller.ts'
import { AppError } from '../contract/errors.ts'
import type { MessageRecord } from '../contract/records/message.ts'
import { isUserId, phoneOf } from '../shared/address.ts'
import { failpoint } from '../shared/failpoint.ts'
import { encodeId, type NumberId, newId, type WorkspaceId } from '../shared/ids.ts'
import type {
  MessageStore,
  NewMessage,
  Outgoing,
  Parties,
  SendContext,
  SenderNumber,
  TemplateRendering,
} from './ports.ts'
import { isSendable } from './template.machine.ts'

export interface SendInput {
  /** Digits, or a user id. */
  readonly to: string
  readonly template: {
    readonly name: string
    readonly language: string
    readonly variables: Readonly<Record<string, string>>
  }
  readonly idempotencyKey: string | null
  readonly from: { readonly numberId: NumberId } | { readonly number: string } | null
  readonly metadata: Readonly<Record<string, string>>
}

export interface Sent {
  readonly record: MessageRecord
  readonly replayed: boolean
}

export interface SendPorts {
  readonly store: MessageStore
  readonly templates: TemplateRendering
  /** `isFresh`: the ids that are remembered are those of an erased contact. */
  readonly parties: (number: SenderNumber, address: string, isFresh: boolean) => Promise<Parties>
  readonly find: (workspaceId: WorkspaceId, id: NewMessage['id']) => Promise<MessageRecord | undefined>
  /** Starts the send and does not wait for it. */
  readonly transmit: (outgoing: Outgoing) => void
}

export const createSendMessage = (ports: SendPorts) =>
  async function sendMessage(caller: Sender, input: SendInput): Promise<Sent> {
    const hash = input.idempotencyKey === null ? null : hashOf(input)
    const context = await ports.store.sendContext({
      workspaceId: caller.workspaceId,
      address: input.to,
      from: input.from,
      templateName: input.template.name,
      templateLanguage: input.template.language,
      idempotencyKey: input.idempotencyKey,
    })
    if (context.earlier) return replay(ports, caller, context.earlier, hash)
    const { number, account, template, text } = check(context, input, ports.templates)
    const insert = async (isFresh: boolean) => {
      const message = {
        ...rowOf(caller, input, { text, hash }),
        numberId: number.numberId,
        ...(await ports.parties(number, input.to, isFresh)),
      }
      return (await ports.store.insertOutbound(message)) ? message : undefined
    }
    let message = await insert(false)
    if (!message) {
      const earlier = await earlierSend(ports, caller, input)
      if (earlier) return earlier
      message = await insert(true)
    }
    if (!message) return (await earlierSend(ports, caller, input)) ?? refuseErased()
    failpoint('after_accept_before_send')
    const { id, workspaceId, conversationId } = message
    ports.transmit({
      id,
      workspaceId,
      conversationId,
      account,
      to: message.address,
      template: input.template,
      definition: template,
    })
    return { record: toRecord(message, { number, caller }), replayed: false }
  }

function check(context: SendContext, input: SendInput, templates: TemplateRendering) {
  const { number, account, template } = context
  if (!number || !account) throw noSender(input.from)
  const name = nameOf(input.template)
  if (!template) throw noTemplate(input.template)
  if (!isSendable(template.status))
    throw new AppError(
      'TEMPLATE_NOT_APPROVED',
      `${name} is ${template.status}; only APPROVED ones can be sent`,
    )
  const { text, missing, unexpected } = templates.render(template, input.template.variables)
  if (missing.length > 0 || unexpected.length > 0)
    throw new AppError('TEMPLATE_VARIABLES_MISMATCH', `the variables are not those of ${name}`, {
      details: [
        ...missing.map((variable) => ({ path: `template.variables.${variable}`, message: 'missing' })),
        ...unexpected.map((variable) => ({ path: `template.variables.${variable}`, message: 'unexpected' })),
      ],
    })
  if (context.optedOut) throw optedOut()
  if (template.category === 'MARKETING' && context.marketingOptedOut) throw marketingOptedOut()
  if (template.category === 'AUTHENTICATION' && isUserId(context.address ?? input.to)) throw needsPhone()
  return { number, account, template, text }
}

const nameOf = ({ name, language }: SendInput['template']): string => `template ${name} (${language})`

export const noSender = (from: SendInput['from']): AppError =>
  new AppError(
    'NO_SENDER_NUMBER',
    from
      ? 'from names no number of this workspace'
      : 'the workspace has no default number: set one in the console, or name one in from',
  )

export const noTemplate = (template: SendInput['template']): AppError =>
  new AppError('TEMPLATE_NOT_FOUND', `there is no ${nameOf(template)} in this workspace`)

const optedOut = () =>
  new AppError('RECIPIENT_OPTED_OUT', 'the contact has opted out with STOP; it can opt in again with START')

const marketingOptedOut = () =>
  new AppError(
    'MARKETING_OPTED_OUT',
    "the contact has stopped marketing messages in the provider's app and can resume them there; other templates can be sent",
  )

/** The provider sends these to numbers only. */
const needsPhone = () =>
  new AppError(
    'RECIPIENT_NEEDS_PHONE',
    'an AUTHENTICATION template goes to a phone number only, and this person is known by a user id; ask for the number first',
  )

const rowOf = (
  { workspaceId, keyId }: Sender,
  { template, metadata, idempotencyKey }: SendInput,
  { text, hash }: { readonly text: string; readonly hash: string | null },
) => ({
  id: newId('message'),
  workspaceId,
  text,
  template,
  metadata,
  keyId,
  idempotencyKey,
  idempotencyHash: hash,
  createdAt: new Date(),
})

/**
 * The insert wrote nothing: a request with the same key was faster, or the contact has sent STOP, or, where this
 * returns undefined, the contact was erased.
 */
async function earlierSend(ports: SendPorts, caller: Sender, input: SendInput): Promise<Sent | undefined> {
  const context = await ports.store.sendContext({
    workspaceId: caller.workspaceId,
    address: input.to,
    from: input.from,
    templateName: input.template.name,
    templateLanguage: input.template.language,
    idempotencyKey: input.idempotencyKey,
  })
  if (context.earlier) return replay(ports, caller, context.earlier, hashOf(input))
  if (context.optedOut) throw optedOut()
  return undefined
}

const refuseErased = (): never => {
  throw new AppError('UNAVAILABLE', 'the contact is being erased; try again', { retryAfterSeconds: 1 })
}

async function replay(
  ports: SendPorts,
  caller: Sender,
  earlier: NonNullable<SendContext['earlier']>,
  hash: string | null,
): Promise<Sent> {
  if (earlier.hash !== hash)
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      'this idempotencyKey was used with another body; use a new key for another message',
    )
  const record = await ports.find(caller.workspaceId, earlier.id)
  if (!record) throw new Error('a message vanished while it was looked up')
  return { record, replayed: true }
}

/** The same for equal requests, whatever the order of their fields. */
function hashOf(input: SendInput): string {
  const sorted = (pairs: Readonly<Record<string, string>>) =>
    Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1))
  const { name, language, variables } = input.template
  const canonical = JSON.stringify([
    // As in the request: keys that were used before user ids came must be recognised.
    isUserId(input.to) ? input.to : `+${input.to}`,
    name,
    language,
    sorted(variables),
    input.from ? Object.values(input.from) : null,
    sorted(input.metadata),
  ])
  return createHash('sha256').update(canonical).digest('hex')
}

function toRecord(
  message: NewMessage & Parties,
  { number, caller }: { number: SenderNumber; caller: Sender },
): MessageRecord {
  return {
    id: encodeId('message', message.id),
    conversationId: encodeId('conversation', message.conversationId),
    providerMessageId: null,
    direction: 'OUTBOUND',
    type: 'TEMPLATE',
    status: 'QUEUED',
    text: message.text,
    template: message.template,
    from: number.number,
    fromName: null,
    to: phoneOf(message.address) ?? '',
    userId: message.userId,
    username: message.username,
    numberId: encodeId('number', message.numberId),
    error: null,
    media: null,
    details: null,
    metadata: { ...message.metadata },
    caller: {
      apiKeyId: caller.keyId && encodeId('key', caller.keyId),
      apiKeyName: caller.keyName,
      idempotencyKey: message.idempotencyKey,
      campaignId: null,
    },
    createdAt: message.createdAt.toISOString(),
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
  }
}
