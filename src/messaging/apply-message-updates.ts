// Applies statuses and inbound messages of the provider, in any order and any number of times. An update is
// durable when its promise resolves.

import type { Dispatch } from '../contract/dispatch.ts'
import { queuedBody } from '../contract/events.ts'
import type { Person } from '../contract/person.ts'
import type {
  IdentityChangeUpdate,
  InboundMessageUpdate,
  MessageStatusUpdate,
} from '../contract/provider-updates.ts'
import { phoneOf } from '../shared/address.ts'
import { Batcher } from '../shared/batcher.ts'
import type { Clock } from '../shared/clock.ts'
import { decodeId, encodeId, type MessageId, newId, type WorkspaceId } from '../shared/ids.ts'
import type { Consent } from './consent.ts'
import type { Claim } from './identity.ts'
import type {
  FoundMessage,
  InboundWrite,
  MessageStore,
  Parties,
  SenderNumber,
  StatusChange,
} from './ports.ts'
import { optChangeOf } from './stop-keywords.ts'

export interface MessageUpdatePorts {
  readonly store: Pick<MessageStore, 'statusTargets' | 'changeStatuses' | 'insertInbound'>
  readonly contacts: {
    resolveParties(from: {
      phoneNumberId: string
      person: Person
      at: Date
      isFresh?: boolean
    }): Promise<(SenderNumber & Parties) | undefined>
    findNumber(phoneNumberId: string): Promise<SenderNumber | undefined>
    learn(workspaceId: WorkspaceId, claim: Claim): Promise<void>
  }
  readonly dispatch: Dispatch
  readonly clock: Clock
  /** Called for updates that concern no number or message here. */
  readonly ignored: (type: string) => void
  /** Called for each failed message of a campaign, with the error code. */
  readonly campaignSendFailed: (messageId: MessageId, code: string) => void
  readonly consent: Consent
}

export interface MessageUpdates {
  applyStatus(update: MessageStatusUpdate): Promise<void>
  applyInbound(update: InboundMessageUpdate): Promise<void>
  applyIdentityChange(update: IdentityChangeUpdate): Promise<void>
  applyPreference: Consent['applyPreference']
}

export function createMessageUpdates(ports: MessageUpdatePorts): MessageUpdates {
  const statuses = new Batcher<MessageStatusUpdate, void>({
    maxItems: 200,
    maxWaiting: 10_000,
    // Two batches at once could apply the statuses of one message in the wrong order.
    concurrency: 1,
    flush: async (updates) => {
      await applyStatuses(ports, updates)
      return updates.map(() => undefined)
    },
  })
  return {
    applyStatus: (update) => statuses.add(update),
    applyInbound: (update) => applyInbound(ports, update),
    applyPreference: ports.consent.applyPreference,
    async applyIdentityChange({ phoneNumberId, person, before, at }) {
      const number = await ports.contacts.findNumber(phoneNumberId)
      if (!number) return ports.ignored('identityChange')
      await ports.contacts.learn(number.workspaceId, { person, also: before, at, proof: 'statement' })
    },
  }
}

async function applyStatuses(
  ports: MessageUpdatePorts,
  updates: readonly MessageStatusUpdate[],
): Promise<void> {
  const found = await ports.store.statusTargets(
    updates.map(({ providerMessageId, opaque, phoneNumberId }) => ({
      providerMessageId,
      phoneNumberId,
      messageId: opaque === null ? null : (decodeId('message', opaque) ?? null),
    })),
  )
  const changes: StatusChange[] = []
  updates.forEach((update, index) => {
    const message = found[index]
    if (!message) return ports.ignored('messageStatus')
    changes.push(toChange(update, message, ports.clock.now()))
    learnRecipient(ports, update, message)
  })
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
    if (recipientId && error) ports.campaignSendFailed(messageId, error.code)
  await noteRefusals(ports, updates, found)
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
  const claim: Claim = { person, also: [message.address], at, proof: 'answer' }
  contacts.learn(message.workspaceId, claim).catch(() => undefined)
}

function toChange(update: MessageStatusUpdate, message: FoundMessage, nowMs: number): StatusChange {
  const { status, at, providerMessageId } = update
  const error = update.error && { code: update.error.code, title: update.error.title }
  const body = queuedBody('message.status', new Date(nowMs), {
    messageId: encodeId('message', message.id),
    conversationId: encodeId('conversation', message.conversationId),
    providerMessageId,
    status,
    occurredAt: at.toISOString(),
    ...(status === 'FAILED' && {
      error: { title: error?.title ?? 'The message failed', ...(error && { code: error.code }) },
    }),
  })
  const { id: messageId, recipientId } = message
  return { messageId, recipientId, providerMessageId, status, at, error, eventId: newId('event'), body }
}

/** A contact who was erased since its ids were read has a new row by the second try. */
async function applyInbound(ports: MessageUpdatePorts, update: InboundMessageUpdate): Promise<void> {
  const { phoneNumberId, from: person, at } = update
  for (let tries = 0; tries < 3; tries += 1) {
    const who = { phoneNumberId, person, at, isFresh: tries > 0 }
    const parties = await ports.contacts.resolveParties(who)
    if (!parties) return ports.ignored('inboundMessage')
    const written = await ports.store.insertInbound(inboundOf(update, parties, ports.clock.now()))
    if (written) return ports.dispatch(written)
  }
  throw new Error('the contact of an inbound message was erased again and again')
}

function inboundOf(
  update: InboundMessageUpdate,
  parties: SenderNumber & Parties,
  nowMs: number,
): InboundWrite {
  const id = newId('message')
  const optChange = optChangeOf(update.messageType, update.text)
  const body = queuedBody('message.received', new Date(nowMs), {
    messageId: encodeId('message', id),
    conversationId: encodeId('conversation', parties.conversationId),
    text: update.text,
    from: update.from.phone ?? phoneOf(parties.address) ?? '',
    fromName: update.from.name ?? '',
    userId: parties.userId,
    username: parties.username,
    to: parties.number,
    ...(optChange && { optChange }),
    ...(update.callPermission && { details: { callPermission: update.callPermission } }),
  })
  return { id, ...parties, update, optChange, eventId: newId('event'), body }
}
