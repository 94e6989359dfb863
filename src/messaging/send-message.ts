// POST /messages/chat: checks the request, makes the message durable, then starts the send to the provider.
import { createHash } from 'node:crypto'
import type { Sender } from '../contract/caller.ts'
import { AppError } from '../contract/errors.ts'
import type { MessageRecord } from '../contract/records/message.ts'
import { isUserId, phoneOf } from '../shared/address.ts'
import type { Clock } from '../shared/clock.ts'
import { failpoint } from '../shared/failpoint.ts'
import { encodeId, newId, type WorkspaceId } from '../shared/ids.ts'
import { checkSend, contextQuery, optedOut, type SendInput } from './check-send.ts'
import type { StoredUpload } from './free-form-content.ts'
import type {
  MessageStore,
  NewMessage,
  Outgoing,
  Parties,
  SendContext,
  SenderNumber,
  TemplateRendering,
} from './ports.ts'

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
  readonly clock: Pick<Clock, 'now'>
}

export const createSendMessage = (ports: SendPorts) =>
  async function sendMessage(caller: Sender, input: SendInput): Promise<Sent> {
    // The insert writes nothing where a request with the same key was faster, or where the contact has sent STOP or
    // was erased, or the file has expired meanwhile. Asked again, the context tells which.
    return (
      (await trySend(ports, caller, { input, isFresh: false })) ??
      (await trySend(ports, caller, { input, isFresh: true })) ??
      (await earlierSend(ports, caller, input)) ??
      refuseErased()
    )
  }

async function trySend(
  ports: SendPorts,
  caller: Sender,
  { input, isFresh }: { readonly input: SendInput; readonly isFresh: boolean },
): Promise<Sent | undefined> {
  const hash = input.idempotencyKey === null ? null : hashOf(input)
  const context = await ports.store.sendContext(contextQuery(caller, input))
  if (context.earlier) return replay(ports, caller, context.earlier, hash)
  const { number, account, content, row } = checkSend(context, input, ports)
  // A name first, also below: in Node 20 a literal that begins with a spread costs microseconds.
  const message = {
    numberId: number.numberId,
    ...rowOf(caller, input, hash),
    ...row,
    ...(await partiesNow(ports, { number, input, isFresh, context })),
  }
  if (!(await ports.store.insertOutbound(message))) return undefined
  failpoint('after_accept_before_send')
  const { id, workspaceId, conversationId } = message
  const to = message.address
  ports.transmit({ id, ...content, workspaceId, conversationId, recipientId: null, account, to })
  return { record: toRecord(message, { number, caller }), replayed: false }
}

interface Wanted {
  readonly number: SenderNumber
  readonly input: SendInput
  readonly isFresh: boolean
  readonly context: Pick<SendContext, 'contactId' | 'address'>
}

/** The ids that are remembered may be those of somebody who had this number, or who has another one by now. */
async function partiesNow(
  { parties }: SendPorts,
  { number, input, isFresh, context }: Wanted,
): Promise<Parties> {
  const known = await parties(number, input.to, isFresh)
  const isSame = known.contactId === context.contactId && known.address === context.address
  return isFresh || isSame || context.contactId === null ? known : parties(number, input.to, true)
}

const rowOf = (
  { workspaceId, keyId }: Sender,
  { metadata, idempotencyKey }: SendInput,
  hash: string | null,
) => ({
  id: newId('message'),
  workspaceId,
  metadata,
  keyId,
  idempotencyKey,
  idempotencyHash: hash,
  createdAt: new Date(),
})

async function earlierSend(ports: SendPorts, caller: Sender, input: SendInput): Promise<Sent | undefined> {
  const { earlier, optedOut: isOut } = await ports.store.sendContext(contextQuery(caller, input))
  if (earlier) return replay(ports, caller, earlier, hashOf(input))
  if (isOut) throw optedOut()
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
  const content = input.template
    ? [input.template.name, input.template.language, sorted(input.template.variables)]
    : [inOrder(input.free)]
  const canonical = JSON.stringify([
    // As in the request: keys that were used before user ids came must be recognised.
    isUserId(input.to) ? input.to : `+${input.to}`,
    ...content,
    input.from ? Object.values(input.from) : null,
    sorted(input.metadata),
  ])
  return createHash('sha256').update(canonical).digest('hex')
}

/** The value with the fields of its objects in alphabetical order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]))
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
    type: message.free?.type ?? 'TEMPLATE',
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
    media: message.free?.upload ? mediaOf(message.free.upload, message.free.details) : null,
    details: message.free?.details ?? null,
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

const mediaOf = (
  { mimeType, fileName, sizeBytes, sha256 }: StoredUpload,
  details: MessageRecord['details'],
): MessageRecord['media'] => ({ mimeType, fileName: details?.media?.fileName ?? fileName, sizeBytes, sha256 })
