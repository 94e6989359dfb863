// What the event of a delivery is about, read from the beginning of its body. Pure.
import type { LoggedDelivery } from '../../contract/administration.ts'
import type { DeliverySubject } from '../../contract/records/console.ts'
import {
  type CallId,
  type ConversationId,
  decodeId,
  encodeId,
  type MessageId,
  type Uuid,
} from '../../shared/ids.ts'
import { isSample } from '../sample-event.ts'

/** What an event names. The ids of one kind are looked up together for all rows of a page. */
export interface Named extends Pick<DeliverySubject, 'kind' | 'status' | 'template'> {
  readonly messageId?: MessageId | undefined
  readonly callId?: CallId | undefined
  readonly conversationId?: ConversationId | undefined
}

/** What is known of a message, a call or a conversation. */
export interface Found extends Pick<DeliverySubject, 'contact' | 'template'> {
  /** Of the conversation where the contact was merged into another. */
  readonly shownId: Uuid
  readonly campaign: { readonly id: string; readonly name: string } | null
}

export function namedBy({ event, told }: Pick<LoggedDelivery, 'event' | 'told'>): Named {
  const beginning = told.beginning ?? ''
  if (isSample(beginning)) return { kind: 'test', status: null, template: null }
  const key = told.key as ConversationId
  switch (event) {
    case 'message.status':
    case 'message.received':
      return {
        kind: 'message',
        status: event === 'message.status' ? textIn(beginning, 'status') : null,
        template: null,
        messageId: decodeId('message', textIn(beginning, 'messageId') ?? ''),
        conversationId: key,
      }
    case 'call.status':
    case 'call.ringing':
    case 'call.accepted':
      return {
        ...{ kind: 'call', status: textIn(beginning, 'status'), template: null },
        callId: decodeId('call', textIn(beginning, 'callId') ?? ''),
        conversationId: decodeId('conversation', textIn(beginning, 'conversationId') ?? ''),
      }
    case 'contact.updated':
      return { kind: 'contact', status: choiceIn(beginning), template: null, conversationId: key }
    case 'account.updated':
      return {
        kind: 'account',
        status: textIn(beginning, 'topic'),
        template: /"template":\{"name":"([^"\\]*)"/.exec(beginning)?.[1] ?? null,
      }
  }
}

/** A quote within a text is escaped, so that what customers write is never taken for a field. */
const textIn = (beginning: string, field: string): string | null =>
  new RegExp(`"${field}":"([^"\\\\]*)"`).exec(beginning)?.[1] ?? null

function choiceIn(beginning: string): string | null {
  const choice = /"marketingOptedOut":(true|false)/.exec(beginning)?.[1]
  if (choice === undefined) return null
  return choice === 'true' ? 'OPTED_OUT' : 'OPTED_IN'
}

/** `find` knows by id what was looked up. A conversation stands in for a message or call that is gone. */
export function subjectOf(named: Named, find: (id: Uuid | undefined) => Found | undefined): DeliverySubject {
  const { kind, status } = named
  const record = find(named.messageId) ?? find(named.callId)
  const conversation = find(named.conversationId)
  const found = record ?? conversation
  return {
    kind,
    id: idOf(named, { record, conversation }),
    status,
    contact: found?.contact ?? null,
    template: found?.template ?? named.template,
    campaign: found?.campaign ?? null,
  }
}

function idOf(
  named: Named,
  { record, conversation }: { readonly record: Found | undefined; readonly conversation: Found | undefined },
): string | null {
  if (record) return encodeId(named.kind === 'call' ? 'call' : 'message', record.shownId)
  return named.kind === 'contact' && conversation ? encodeId('conversation', conversation.shownId) : null
}
