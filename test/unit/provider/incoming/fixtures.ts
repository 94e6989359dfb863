// Parts of webhooks as the provider writes them, and the webhook body around them.
import { readFileSync } from 'node:fs'
import type { ProviderUpdate, ProviderUpdateType } from '../../../../src/contract/provider-updates.ts'
import { type ParsedWebhook, parseWebhook } from '../../../../src/provider/incoming/parse.ts'

export type Loose = Record<string, unknown>

const folder = new URL('../../../fixtures/provider/', import.meta.url)

export const fixtureBytes = (name: string): Buffer => readFileSync(new URL(name, folder))

const load = (name: string) => JSON.parse(fixtureBytes(name).toString()) as Record<string, Loose>

export const messages = load('messages.json')
export const statuses = load('statuses.json')
export const calls = load('calls.json')
export const account = load('account.json')

export const USER = '351910000077'
export const NUMBER_ID = '880000000000001'
export const WABA = '770000000000001'
export const RECEIVED = new Date('2026-10-01T12:00:00.000Z')

export const envelope = (...changes: unknown[]): Loose => ({
  object: 'whatsapp_business_account',
  entry: [{ id: WABA, changes }],
})

/** One change for the number; `content` holds its messages, statuses, calls or errors. */
export const change = (field: string, content: Loose): Loose => ({
  field,
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550003333', phone_number_id: NUMBER_ID },
    contacts: [{ profile: { name: 'Marta Reis' }, wa_id: USER }],
    ...content,
  },
})

export const parse = (...changes: unknown[]): ParsedWebhook => parseWebhook(envelope(...changes), RECEIVED)

/** The only update that these changes carry. */
export function only<Type extends ProviderUpdateType>(
  type: Type,
  ...changes: unknown[]
): Extract<ProviderUpdate, { type: Type }> {
  const { updates } = parse(...changes)
  const [update] = updates
  if (updates.length !== 1 || update?.type !== type)
    throw new Error(`not one ${type}: ${JSON.stringify(updates)}`)
  return update as Extract<ProviderUpdate, { type: Type }>
}
