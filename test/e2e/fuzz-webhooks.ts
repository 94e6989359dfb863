// Random provider webhooks. Each starts as a real one and is then corrupted. A signed body is accepted,
// whatever it contains; an unsigned one is refused unread.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { limits } from '../../src/contract/limits.ts'
import { provider } from '../../src/dev/provider.ts'
import {
  account,
  calls,
  change,
  envelope,
  messages,
  NUMBER_ID,
  statuses,
  WABA,
} from '../unit/provider/incoming/fixtures.ts'
import type { Dice } from './fuzz-dice.ts'
import { mutatedJson } from './fuzz-mutations.ts'
import type { Ask, Told } from './hostile-client.ts'

const contents: readonly unknown[] = [
  ...Object.values(messages).map((message) => change('messages', { messages: [message] })),
  ...Object.values(statuses).map((status) => change('messages', { statuses: [status] })),
  ...Object.values(calls).map((call) => change('calls', { calls: [call] })),
  ...Object.values(account),
]

export interface Webhook {
  readonly ask: Ask
  readonly isGenuine: boolean
}

export function webhook(dice: Dice, phoneNumberId: string): Webhook {
  const changes = Array.from({ length: 1 + dice.below(3) }, () => dice.of(contents))
  const text = JSON.stringify(envelope(...changes))
    .replaceAll(NUMBER_ID, phoneNumberId)
    .replaceAll(WABA, provider.wabaId)
  const body = dice.oneIn(10) ? Buffer.from(text) : mutatedJson(dice, JSON.parse(text))
  const isGenuine = !dice.oneIn(5)
  const secret = isGenuine ? provider.appSecret : 'another secret'
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const type = { 'content-type': dice.oneIn(20) ? 'text/plain' : 'application/json' }
  const headers = { ...type, 'x-hub-signature-256': signature }
  return { ask: { method: 'POST', path: '/provider/webhooks', body, headers }, isGenuine }
}

/** A body over the limit is not read to its end, so its signature does not matter. */
export function judgeWebhook({ ask, isGenuine }: Webhook, { status, text }: Told): void {
  const isTooLong = Buffer.from(ask.body as Buffer).length > limits.providerBodyBytes
  const judged = isGenuine ? 200 : 401
  assert.equal(status, isTooLong ? 413 : judged, text.slice(0, 300))
}
