// Applies statuses and inbound messages of the provider, in any order and any number of times. An update is
// durable when its promise resolves.

import type { Dispatch } from '../contract/dispatch.ts'
import { queuedBody } from '../contract/events.ts'
import type { UpdateOutcome } from '../contract/inbound-elements.ts'
import type { Person } from '../contract/person.ts'
import type {
  IdentityChangeUpdate,
  InboundMessageUpdate,
  MessageStatusUpdate,
} from '../contract/provider-updates.ts'
import { type Failure, failureOf } from '../contract/records/failure.ts'
import type { MessageDetails } from '../contract/records/message-details.ts'
import { isAddress, phoneOf } from '../shared/address.ts'
import type { Clock } from '../shared/clock.ts'
import { oneUnlessHeldUp } from '../shared/concurrency.ts'
import {
  decodeId,
  type EndpointId,
  encodeId,
  type MessageId,
  newId,
  type WorkspaceId,
} from '../shared/ids.ts'
import { KeyedBatcher } from '../shared/keyed-batcher.ts'
import type { Consent } from './consent.ts'
import type { Claim } from './identity.ts'
import { effectsOf } from './inbound-effects.ts'
import { createInboundWriter, type WriteInbound } from './inbound-writer.ts'
import type {
  FoundMessage,
  InboundReference,
  InboundWrite,
  MessageStore,
  Parties,
  SenderNumber,
  StatusChange,
} from './ports.ts'
import { optChangeOf } from './stop-keywords.ts'

export interface MessageUpdatePorts {
  readonly store: Pick<MessageStore, 'statusTargets' | 'changeStatuses' | 'insertInbound' | 'tryInbounds'>
  readonly contacts: {
    resolveParties(from: {
      phoneNumberId: string
      person: Person
      at: Date
      groupId: string | null
      isFresh?: boolean
    }): Promise<(SenderNumber & Parties) | undefined>
    findNumber(phoneNumberId: string): Promise<SenderNumber | undefined>
    learn(workspaceId: WorkspaceId, claim: Claim): Promise<void>
  }
  readonly dispatch: Dispatch
  readonly clock: Clock
  /** Called for updates that concern no number or message here. */
  readonly ignored: (type: string) => void
  /** Called for each failed message. */
  readonly sendFailed?: (workspaceId: WorkspaceId, error: Failure, at: Date) => void
  /** Called for each failed message of a campaign. */
  readonly campaignSendFailed: (messageId: MessageId, error: Failure) => void
  readonly consent: Consent
  /** Hears to which endpoints the messages of a number went. */
  readonly noteEndpoints?: (phoneNumberId: string, ids: readonly EndpointId[]) => void
}

export interface MessageUpdates {
  applyStatus(update: MessageStatusUpdate): Promise<UpdateOutcome>
  applyInbound(update: InboundMessageUpdate): Promise<UpdateOutcome>
  applyIdentityChange(update: IdentityChangeUpdate): Promise<UpdateOutcome>
  applyPreference: Consent['applyPreference']
}

export function createMessageUpdates(ports: MessageUpdatePorts): MessageUpdates {
  const statuses = new KeyedBatcher<MessageStatusUpdate, UpdateOutcome>({
    // Two batches at once could apply the statuses of one message in the wrong order.
    keyOf: ({ providerMessageId }) => providerMessageId,
    ...{ maxItems: 200, maxWaiting: 10_000, ...oneUnlessHeldUp },
    flush: (updates) => applyStatuses(ports, updates),
  })
  const writeInbound = createInboundWriter(ports.store)
  return {
    applyStatus: (update) => statuses.add(update),
    applyInbound: (update) => applyInbound(ports, writeInbound, update),
    applyPreference: ports.consent.applyPreference,
    applyIdentityChange: (update) => applyIdentityChange(ports, update),
  }
}

async function applyIdentityChange(
  ports: MessageUpdatePorts,
  { phoneNumberId, person, before, at }: Omit<IdentityChangeUpdate, 'type'>,
): Promise<UpdateOutcome> {
  const number = await ports.contacts.findNumber(phoneNumberId)
  if (!number) {
    ports.ignored('identityChange')
    return 'unknownNumber'
  }
  await ports.contacts.learn(number.workspaceId, { person, also: before, at, proof: 'statement' })
  return 'applied'
}

async function applyStatuses(
  ports: MessageUpdatePorts,
  updates: readonly MessageStatusUpdate[],
): Promise<UpdateOutcome[]> {
  const found = await ports.store.statusTargets(
    updates.map(({ providerMessageId, opaque, phoneNumberId }) => ({
      providerMessageId,
      phoneNumberId,
      messageId: opaque === null ? null : (decodeId('message', opaque) ?? null),
    })),
  )
  const changes = updates.flatMap((update, index) => changeOf(ports, update, found[index]))
  // One statement changes a row only once, so several statuses of one message go into successive statements.
  for (let rest = changes; rest.length > 0; ) {
    const turn = new Map<string, StatusChange>()
    const later: StatusChange[] = []
    for (const change of rest) {
      if (turn.has(change.messageId)) later.push(change)
      else turn.set(change.messageId, change)
    }
    ports.dispatch(await ports.store.changeStatuses([...turn.values()]))
    rest = later
  }
  for (const { recipientId, messageId, error } of changes)
    if (recipientId && error) ports.campaignSendFailed(messageId, error)
  await noteRefusals(ports, updates, found)
  return updates.map((_, index) => (found[index] ? 'applied' : 'unknownMessage'))
}

/** A repeated status tells it again, so that none is lost if this fails. */
async function noteRefusals(
  { consent }: MessageUpdatePorts,
  updates: readonly MessageStatusUpdate[],
  found: readonly FoundMessage[],
): Promise<void> {
  for (const [index, { error, at }] of updates.entries()) {
    const message = found[index]
    if (message && error?.class === 'optedOut') await consent.noteRefusal(message.id, at)
  }
}

function changeOf(
  ports: MessageUpdatePorts,
  update: MessageStatusUpdate,
  message: FoundMessage | undefined,
): StatusChange[] {
  if (message) {
    learnRecipient(ports, update, message)
    if (update.error) ports.sendFailed?.(message.workspaceId, failureOf(update.error), update.at)
    return [toChange(update, message, ports.clock.now())]
  }
  ports.ignored('messageStatus')
  return []
}

/**
 * What the status says about the person beside what the send knew: another spelling of the number, or the user id. Not
 * awaited: every status says it again.
 */
function learnRecipient(
  { contacts }: MessageUpdatePorts,
  update: MessageStatusUpdate,
  message: FoundMessage,
) {
  const { recipient: person, at } = update
  if (!person) return
  const isKnown =
    (person.phone === null || person.phone === message.address) &&
    (person.userId === null || person.userId === message.userId)
  if (isKnown) return
  // A contact that has become part of another one has no address any more.
  const known = isAddress(message.address) ? [message.address] : []
  const claim: Claim = { person, also: known, at, proof: 'answer' }
  contacts.learn(message.workspaceId, claim).catch(() => undefined)
}

function toChange(update: MessageStatusUpdate, message: FoundMessage, nowMs: number): StatusChange {
  const { status, at, providerMessageId } = update
  const error = update.error && failureOf(update.error)
  const body = queuedBody('message.status', new Date(nowMs), {
    messageId: encodeId('message', message.id),
    conversationId: encodeId('conversation', message.conversationId),
    providerMessageId,
    status,
    occurredAt: at.toISOString(),
    ...(status === 'FAILED' && {
      error: error ?? { title: 'The message failed' },
    }),
  })
  const { id: messageId, recipientId } = message
  return { messageId, recipientId, providerMessageId, status, at, error, eventId: newId('event'), body }
}

/** A contact who was erased, or moved to another address, since it was read is read again by the second try. */
async function applyInbound(
  ports: MessageUpdatePorts,
  writeInbound: WriteInbound,
  update: InboundMessageUpdate,
): Promise<UpdateOutcome> {
  const { phoneNumberId, from: person, at } = update
  const groupId = update.details?.group?.id ?? null
  if (update.formerly)
    await applyIdentityChange(ports, { phoneNumberId, person, before: update.formerly, at })
  for (let tries = 0; tries < 3; tries += 1) {
    const who = { phoneNumberId, person, at, groupId, isFresh: tries > 0 }
    const parties = await ports.contacts.resolveParties(who)
    if (!parties) {
      ports.ignored('inboundMessage')
      return 'unknownNumber'
    }
    const written = await writeInbound(inboundOf(update, parties, ports.clock.now()))
    if (written) {
      // A repeat is written nowhere, and says nothing of the endpoints.
      if (written.length > 0)
        ports.noteEndpoints?.(
          phoneNumberId,
          written.map(({ endpointId }) => endpointId),
        )
      ports.dispatch(written)
      return 'applied'
    }
  }
  throw new Error('the contact of an inbound message was erased again and again')
}

function inboundOf(
  update: InboundMessageUpdate,
  parties: SenderNumber & Parties,
  nowMs: number,
): InboundWrite {
  const id = newId('message')
  const optChange = optChangeOf(update)
  const { details, references } = withReferences(update.details)
  const body = queuedBody('message.received', new Date(nowMs), {
    messageId: encodeId('message', id),
    conversationId: encodeId('conversation', parties.conversationId),
    text: update.text,
    from: update.from.phone ?? phoneOf(parties.address) ?? '',
    fromName: update.from.name ?? '',
    userId: parties.userId,
    username: parties.username,
    to: parties.number,
    type: update.messageType,
    ...(optChange && { optChange }),
    ...(details && { details }),
  })
  const content = { update, details, references, effects: effectsOf(update) }
  return { id, ...parties, ...content, optChange, eventId: newId('event'), body }
}

/**
 * Stands for our ids of the messages that this one names. The statement that writes it finds them, and puts them in
 * place. Nobody else knows these marks, so that no text of a customer is taken for one.
 */
function withReferences(given: MessageDetails | null): Pick<InboundWrite, 'details' | 'references'> {
  const references: InboundReference[] = []
  const mark = <Part extends { providerMessageId: string | null } | undefined>(part: Part): Part => {
    if (part === undefined || part.providerMessageId === null) return part
    const messageId = encodeId('message', newId('message'))
    references.push({ mark: messageId, providerMessageId: part.providerMessageId })
    return { ...part, messageId }
  }
  if (given === null) return { details: null, references }
  const { context, reaction, edit, revoke, ...rest } = given
  const details: MessageDetails = {
    ...rest,
    ...(context && { context: mark(context) }),
    ...(reaction && { reaction: mark(reaction) }),
    ...(edit && { edit: mark(edit) }),
    ...(revoke && { revoke: mark(revoke) }),
  }
  return { details, references }
}
