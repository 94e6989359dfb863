// The samples in test/fixtures/provider/corpus, and a gateway that takes them as the provider posts them.
//
// - messages.json, groups.json: `message` without id, sender and time; what `before` holds is sent before it
// - revisions.json: the same, and in `original` what the record of the message before shows afterwards
// - statuses.json: `statuses` of a message of ours, and the fields of its record that change
// - calls.json: `value` of the field `calls`; `placed` is whom we call first, `before` names the samples that are posted
//   before it for the same call. `expect` has the updates that the call gets, the fields of its record that are not the
//   same for all, the statuses of its events, in `direct` the direct event that is sent, and in `told` what its events say other than
//   the record, because it was learnt after them
// - account.json: `field` and `value` about the account, and what is not the same for all changes of accounts
// - kept.json: `field` and `value` of what neither a message, nor a status, nor a call is made of
// - people.json: `value` of a field (`messages` unless `field` is given), from or about people who hide their number, and
//   in `before` what is posted before it; `contact` is that of the conversation
//
// `expect` of a message names what is not the same for all: fields of the record, `optChange` of the event, and `effect`,
// which is what the conversation shows: `reply` (the default: unread, the last message, opens the window), `window` (the
// last message, opens the window), `shown` (the last message), `none`, or `earlier` (as after the message before).
//
// `$out` and `$ourOut` are the ids of a message that we sent (the provider's and ours), `$before` and `$ourBefore` those
// of the message before, `$own` that of the message or call (`$ourOwn`: ours of a call that we placed), `$at` is its time. `$user`, `$parent`, `$phone` and `$e164` name the
// person of a sample; `$newUser`, `$newPhone` and `$newNumber` are those after a change. `@3` is three seconds after the first status.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pino from 'pino'
import type { ApplyCallUpdate } from '../../../../src/calls/apply-call-update.ts'
import type { ProviderUpdate } from '../../../../src/contract/provider-updates.ts'
import { createMessageUpdates } from '../../../../src/messaging/apply-message-updates.ts'
import { createMessageHandover } from '../../../../src/messaging/host/handed-messages.ts'
import type { Pool } from '../../../../src/platform/postgres/sql.ts'
import { createApplyUpdate } from '../../../../src/provider/incoming/apply-updates.ts'
import { providerWebhooks, type ReceivedRecord } from '../../../../src/provider/incoming/webhooks.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { testConsent, testContacts, testMessageStore } from '../../../support/message-store.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any

export interface Sample {
  readonly name: string
  /** One message without id, sender and time. */
  readonly message?: Json
  /** Messages that the same person sent before; of people.json, the changes that were posted before; of calls.json, names. */
  readonly before?: readonly Json[]
  /** Whom we have called: fields of a person. */
  readonly placed?: Json
  /** Of the sender's entry in `contacts`; false: there are no contacts. */
  readonly contact?: Json
  readonly statuses?: readonly Json[]
  readonly field?: string
  readonly value?: Json
  readonly expect: Json
  /** The record of the message before, afterwards. */
  readonly original?: Json
}

const folder = new URL('../../../fixtures/provider/corpus/', import.meta.url)

export const samplesIn = (name: string): Sample[] =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder)).toString())

/** 2026-10-26T07:33:20Z, the time of every sample. */
export const SECOND = 1_793_000_000
export const isoAt = (second: number): string => new Date((SECOND + second) * 1_000).toISOString()

/** Puts values in the places of words that begin with `$`, and times in those of `@` and seconds after the first. */
export function filled(given: Json, words: Readonly<Record<string, string>>): Json {
  if (typeof given === 'string') {
    const second = /^@(-?\d+)$/.exec(given)?.[1]
    if (second !== undefined) return isoAt(Number(second))
    return given.startsWith('$') ? (words[given] ?? assert.fail(`no value for ${given}`)) : given
  }
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map((one) => filled(one, words))
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, filled(one, words)]))
}

export const WABA = '770000000000001'
const appSecret = 'app-secret-for-tests'

export interface Intake {
  /** The calls and the account's updates, which stop here. */
  readonly others: ProviderUpdate[]
  /** Posts a change signed, and returns the status of the answer with the counts. */
  post(field: string, value: Json): Promise<{ status: number; record: ReceivedRecord }>
}

/** Everything from the signature to Postgres is real, for messages and their statuses; for calls where they are given. */
export function intake(sql: Pool, applyCallUpdate?: ApplyCallUpdate): Intake {
  const others: ProviderUpdate[] = []
  const messages = createMessageUpdates({
    store: testMessageStore(sql),
    contacts: testContacts(sql),
    dispatch: () => undefined,
    clock: systemClock,
    ignored: () => undefined,
    campaignSendFailed: () => undefined,
    consent: testConsent(sql),
  })
  const keep = async (update: ProviderUpdate) => void others.push(update)
  // Every message goes as from one gateway to another: nothing of it may be lost on the way.
  const { asked } = createMessageHandover({
    router: { lastKnown: () => undefined, askAt: async () => ({ type: 'unavailable' }) },
    ...{ session: { state: 'serving' }, endpoints: { has: () => true }, clock: systemClock },
    log: { warn: ({ error }: { readonly error?: string }) => assert.fail(error) },
  })
  const { ask } = asked(messages.applyInbound)
  const apply = createApplyUpdate({
    messages: {
      ...messages,
      async applyInbound(update) {
        const answer = await ask('', JSON.parse(JSON.stringify({ type: 'apply', update })))
        return answer.type === 'answered' ? (answer.value as Json).outcome : assert.fail(answer.type)
      },
    },
    applyCallUpdate:
      applyCallUpdate ??
      (async (update) => {
        await keep(update)
        return 'applied'
      }),
    applyTemplateChange: async (update) => {
      await keep(update)
      return true
    },
    templateEdited: (update) => void keep(update),
    applyAccountUpdate: async (update) => {
      await keep(update)
      return true
    },
    ignored: () => undefined,
  })
  return {
    others,
    async post(field, value) {
      const change = {
        object: 'whatsapp_business_account',
        entry: [{ id: WABA, time: SECOND, changes: [{ field, value }] }],
      }
      const body = Buffer.from(JSON.stringify(change))
      const signature = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
      const records: ReceivedRecord[] = []
      const log = pino({ level: 'silent' })
      const observe = (record: ReceivedRecord) => void records.push(record)
      const handler = providerWebhooks({
        appSecret,
        verifyToken: 'x',
        apply,
        keep: { keep: async () => undefined },
        log,
        observe,
      })
      const { status } = await handler({
        ...{ method: 'POST', path: '/provider/webhooks', query: new URLSearchParams(), requestId: 'r' },
        ...{ publicUrl: '', remoteAddress: '127.0.0.1', signal: new AbortController().signal },
        header: (name) => (name === 'x-hub-signature-256' ? signature : undefined),
        body: async () => body,
        bodyStream: () => assert.fail('webhooks are read whole'),
      })
      return { status, record: records[0] ?? assert.fail('nothing was recorded') }
    },
  }
}

export interface Effect {
  readonly isShown: boolean
  readonly isUnread: boolean
  readonly opensWindow: boolean
}

/** By `effect`: what the conversation shows after the message. */
export const effects: Readonly<Record<string, Effect>> = {
  reply: { isShown: true, isUnread: true, opensWindow: true },
  window: { isShown: true, isUnread: false, opensWindow: true },
  shown: { isShown: true, isUnread: false, opensWindow: false },
  none: { isShown: false, isUnread: false, opensWindow: false },
  earlier: { isShown: false, isUnread: false, opensWindow: false },
}

export const excerpt = (record: Json) => ({
  ...{ id: record.id, direction: record.direction, type: record.type },
  ...{ text: record.text, at: record.createdAt },
})

/** As the conversation shows it after this inbound message. */
export const windowOf = (inbound: Json | undefined) => ({
  lastInboundAt: inbound?.createdAt ?? null,
  windowExpiresAt: inbound ? new Date(Date.parse(inbound.createdAt) + 86_400_000).toISOString() : null,
})

/** An update as JSON. Neither the number nor how an error is classed is in the samples. */
export function shownUpdate({ phoneNumberId: _, ...update }: Json): Json {
  const { class: __, ...error } = update.error ?? {}
  return JSON.parse(JSON.stringify({ ...update, ...(update.error && { error }) }))
}

/** All of a list, whatever the size of its pages. */
export async function pages(read: (query: string) => Promise<Json>): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, nextCursor } = await read(`limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    all.push(...data)
    cursor = nextCursor
  }
  return all
}
