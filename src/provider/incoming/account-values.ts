// What the account webhooks have in common: their time, their digest, and bounded copies of their values.
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { AccountChange, AccountUpdate } from '../../contract/account-health.ts'
import { storableStart } from '../../shared/storable-text.ts'
import { type Element, skipped, type WebhookContext } from './element.ts'
import { record } from './fields.ts'

const dayMs = 86_400_000
/** How long the provider's documented restrictions last, and how long news are shown. */
const weekMs = 7 * dayMs

export const aWeekAfter = (at: Date): Date => new Date(at.getTime() + weekMs)

/** The provider's time of a change. One in the future, by a clock that is ahead, would hide later ones. */
export const timeOf = ({ time, receivedAt }: WebhookContext): Date =>
  time !== null && time < receivedAt ? time : receivedAt

const word = v.pipe(v.string(), v.regex(/^[\x20-\x7e]{1,128}$/))

/** A short word of the provider, in upper case; empty if it is absent or no such word. */
export const wordOf = (given: unknown): string => {
  const parsed = v.safeParse(word, typeof given === 'number' ? String(given) : given)
  return parsed.success ? parsed.output.toUpperCase() : ''
}

/** A text of the provider for a person. */
export const textOf = (given: unknown): string => (typeof given === 'string' ? storableStart(given, 512) : '')

/** As the provider's list writes it: webhooks also have en-US. */
export const languageOf = (given: string): string => given.replaceAll('-', '_')

/** The provider's value, with its depth, texts and lists cut. */
function boundedRecord(given: unknown): Record<string, unknown> {
  const copy = bounded(record(given), 6) as Record<string, unknown>
  return JSON.stringify(copy).length > 16_000 ? {} : copy
}

function bounded(given: unknown, depth: number): unknown {
  if (typeof given === 'string') return storableStart(given, 1_024)
  if (typeof given !== 'object' || given === null) return given
  if (depth === 0) return null
  if (Array.isArray(given)) return given.slice(0, 50).map((one) => bounded(one, depth - 1))
  const entries = Object.entries(given).slice(0, 50)
  return Object.fromEntries(entries.map(([name, one]) => [storableStart(name, 64), bounded(one, depth - 1)]))
}

export type NewChange = Partial<AccountChange> & Pick<AccountChange, 'topic' | 'status' | 'message'>

/** INFO about the whole account, until the next report, unless it says otherwise. */
export const changeOf = (value: unknown, change: NewChange): AccountChange => ({
  ...{ key: '', severity: 'INFO', number: null, template: null, advice: null, until: null, stops: [] },
  details: boundedRecord(value),
  ...change,
})

export type ReadChanges = (value: unknown, at: Date) => readonly AccountChange[]

/** A reader of one field of webhooks. What it does not know becomes no change. */
export const accountField =
  (field: string, read: ReadChanges) =>
  (value: unknown, context: WebhookContext): Element => {
    const at = timeOf(context)
    const changes = read(value, at).filter(({ status }) => status !== '')
    if (changes.length === 0) return skipped('malformed')
    return {
      type: 'accountUpdate',
      wabaId: wabaOf(value, context),
      at,
      digest: digestOf(field, value, context),
      changes,
    }
  }

/** Webhooks about partners name the portfolio in their entry, and the account in their value. */
function wabaOf(value: unknown, { wabaId }: WebhookContext): string {
  const told = record(record(value)['waba_info'])['waba_id']
  return typeof told === 'string' && /^\d{1,32}$/.test(told) ? told : wabaId
}

const digestOf = (field: string, value: unknown, { wabaId, time }: WebhookContext): AccountUpdate['digest'] =>
  createHash('sha256')
    .update(JSON.stringify([wabaId, field, time, value]))
    .digest('hex')
