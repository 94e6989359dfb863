// Parses a provider webhook into updates. Never throws: unreadable elements are counted and skipped, because
// the provider repeats a webhook that is not accepted for seven days.
import * as v from 'valibot'
import type { ProviderUpdate } from '../../contract/provider-updates.ts'
import { readNumberQuality, readPreferences, readTemplateCategory, readTemplateStatus } from './account.ts'
import { readCalls } from './calls.ts'
import { type Element, type NumberContext, type SkipReason, skipped, type WebhookContext } from './element.ts'
import { id, list, record } from './fields.ts'
import { readIdUpdates } from './identity-change.ts'
import { parseMessage } from './inbound-message.ts'
import { readStatus } from './statuses.ts'
import { numberContext } from './webhook-context.ts'

export interface ParsedWebhook {
  /** In the order of the webhook. */
  readonly updates: ProviderUpdate[]
  readonly skipped: Partial<Record<SkipReason, number>>
}

export function parseWebhook(payload: unknown, receivedAt: Date): ParsedWebhook {
  const updates: ProviderUpdate[] = []
  const counts: Partial<Record<SkipReason, number>> = {}
  for (const element of elementsOf(payload, receivedAt)) {
    if (element.type === 'skipped') counts[element.reason] = (counts[element.reason] ?? 0) + 1
    else updates.push(element)
  }
  return { updates, skipped: counts }
}

function elementsOf(payload: unknown, receivedAt: Date): Element[] {
  if (record(payload)['object'] !== 'whatsapp_business_account') return [skipped('unknown')]
  return list(record(payload)['entry']).flatMap((entry) => {
    const account = v.safeParse(id, record(entry)['id'])
    const wabaId = account.success ? account.output : ''
    return list(record(entry)['changes']).flatMap((change) =>
      readChange(record(change), { wabaId, receivedAt }),
    )
  })
}

function readChange({ field, value }: Readonly<Record<string, unknown>>, context: WebhookContext): Element[] {
  const read = fields.get(field)
  return read === undefined ? [skipped('unknown')] : read(value, context)
}

type Reader = (value: unknown, context: WebhookContext) => Element[]

const one =
  (read: (value: unknown, context: WebhookContext) => Element): Reader =>
  (value, context) => [read(value, context)]

const ofNumber =
  (read: (value: unknown, context: NumberContext) => Element[]): Reader =>
  (value, context) => {
    const ofOne = numberContext(value, context)
    return ofOne === null ? [skipped('malformed')] : read(value, ofOne)
  }

const fields = new Map<unknown, Reader>([
  ['messages', ofNumber(parseMessages)],
  ['calls', ofNumber(readCalls)],
  ['user_preferences', ofNumber(readPreferences)],
  ['user_id_update', ofNumber(readIdUpdates)],
  ['message_template_status_update', one(readTemplateStatus)],
  ['template_category_update', one(readTemplateCategory)],
  ['phone_number_quality_update', one(readNumberQuality)],
])

function parseMessages(value: unknown, context: NumberContext): Element[] {
  const { messages, statuses, errors } = record(value)
  return [
    ...list(messages).map((given) => parseMessage(given, context)),
    ...list(statuses).map((given) => readStatus(given, context, 'messages')),
    ...list(errors).map(() => skipped('accountError')),
  ]
}
