import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { parseWebhook } from '../../../../src/provider/incoming/parse.ts'
import { test } from '../../../support/harness.ts'
import {
  account,
  calls,
  change,
  envelope,
  type Loose,
  messages,
  RECEIVED,
  statuses,
  USER,
} from './fixtures.ts'

const corpus = JSON.parse(
  readFileSync(new URL('../../../fixtures/provider/corpus/messages.json', import.meta.url)).toString(),
) as readonly { readonly message: Loose }[]

const webhooks: readonly Loose[] = [
  ...corpus.map(({ message }) =>
    change('messages', { messages: [{ id: 'wamid.1', from: USER, ...message }] }),
  ),
  ...Object.values(account),
  ...Object.values(messages).map((message) => change('messages', { messages: [message] })),
  ...Object.values(statuses).map((status) => change('messages', { statuses: [status] })),
  ...Object.values(calls).map((call) => change('calls', { calls: [call] })),
].map((one) => envelope(one))

/** Copies of the value, each with a different one of its texts replaced. */
function spoiledBy(given: unknown, odd: string): unknown[] {
  if (typeof given === 'string') return [odd]
  if (typeof given !== 'object' || given === null) return []
  return Object.entries(given).flatMap(([key, inner]) =>
    spoiledBy(inner, odd).map((spoiled) =>
      Array.isArray(given)
        ? given.map((old, index) => (index === Number(key) ? spoiled : old))
        : { ...given, [key]: spoiled },
    ),
  )
}

/** All texts except SDP, which is never written to Postgres. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'sdp' ? [] : textsIn(inner)))
}

const isStorable = (text: string) => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

for (const odd of ['\0', 'a\0b', '\ud800', 'x\udfff'])
  test(`${JSON.stringify(odd)} in any place of a webhook is in no update, for Postgres cannot store it`, () => {
    let updates = 0
    for (const spoiled of webhooks.flatMap((webhook) => spoiledBy(webhook, odd))) {
      const parsed = parseWebhook(spoiled, RECEIVED)
      updates += parsed.updates.length
      assert.deepEqual(
        textsIn(parsed.updates).filter((text) => !isStorable(text)),
        [],
        JSON.stringify(spoiled),
      )
    }
    assert.ok(updates > 100, `${updates} updates were read`)
  })
