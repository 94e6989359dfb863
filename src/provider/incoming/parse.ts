// Parses a provider webhook into updates. Never throws: unreadable elements are counted and skipped, because
// the provider repeats a webhook that is not accepted for seven days.
import type { ProviderUpdate } from '../../contract/provider-updates.ts'
import { readPreferences, readTemplateCategory, readTemplateContent, readTemplateStatus } from './account.ts'
import { accountReaders } from './account-changes.ts'
import { readCalls } from './calls.ts'
import { type Element, type NumberContext, type SkipReason, skipped, type WebhookContext } from './element.ts'
import { list, readId, readInstant, record } from './fields.ts'
import { readIdUpdates } from './identity-change.ts'
import { parseMessage } from './inbound-message.ts'
import { type ReadElement, wholeBody, withRaw } from './raw-elements.ts'
import { readStatus } from './statuses.ts'
import { numberContext } from './webhook-context.ts'

export interface ParsedWebhook {
  /** In the order of the webhook. */
  readonly updates: ProviderUpdate[]
  readonly skipped: Partial<Record<SkipReason, number>>
  /** All of them, each with where it came from. */
  readonly elements: readonly ReadElement[]
}

export function parseWebhook(payload: unknown, receivedAt: Date): ParsedWebhook {
  const updates: ProviderUpdate[] = []
  const counts: Partial<Record<SkipReason, number>> = {}
  const elements = elementsOf(payload, receivedAt)
  for (const { element } of elements) {
    if (element.type === 'skipped') counts[element.reason] = (counts[element.reason] ?? 0) + 1
    else updates.push(element)
  }
  return { updates, skipped: counts, elements }
}

function elementsOf(payload: unknown, receivedAt: Date): readonly ReadElement[] {
  if (record(payload)['object'] !== 'whatsapp_business_account')
    return [wholeBody(skipped('unknown'), payload)]
  const entries = list(record(payload)['entry'])
  if (entries.length === 0) return [wholeBody(skipped('malformed'), payload)]
  const empty = entries.filter((entry) => list(record(entry)['changes']).length === 0)
  const elements = entries.flatMap((entry) => {
    const wabaId = readId(record(entry)['id']) ?? ''
    const time = readInstant(record(entry)['time'])
    return list(record(entry)['changes']).flatMap((given) => {
      const change = record(given)
      return withRaw(readChange(change, { wabaId, time, receivedAt }), change, { wabaId, time })
    })
  })
  return [...elements, ...empty.map((entry) => wholeBody(skipped('malformed'), entry))]
}

function readChange({ field, value }: Readonly<Record<string, unknown>>, context: WebhookContext): Element[] {
  const read = fields.get(field)
  if (read === undefined) return [skipped('unknown')]
  try {
    return read(value, context)
  } catch {
    // Nested so deep that no reader follows. The rest of the webhook must not be lost with it.
    return [skipped('malformed')]
  }
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
  ['message_template_components_update', one(readTemplateContent)],
  ...accountReaders.map(([field, read]) => [field, one(read)] as const),
])

function parseMessages(value: unknown, context: NumberContext): Element[] {
  const { messages, statuses, errors } = record(value)
  return [
    ...list(messages).map((given) => parseMessage(given, context)),
    ...list(statuses).map((given) => readStatus(given, context, 'messages')),
    ...list(errors).map(() => skipped('accountError')),
  ]
}
