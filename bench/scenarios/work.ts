// A kind of work: the requests of one unit, and what of it is measured.
import type { BusinessNumber } from '../../src/simulator/model.ts'
import { encodeWebhook, signatureOf } from '../../src/simulator/webhook-encoding.ts'
import { envelope, type Update } from '../../src/simulator/webhook-payloads.ts'
import { rawRequest } from '../harness/client.ts'
import type { WorkName } from '../harness/opponents.ts'
import { template, type Values } from './template.ts'

/** One request of a unit, built before it is sent. */
export interface Shot {
  /** Every trace of the unit carries it: see token.ts. */
  readonly id: string
  /** Milliseconds after the start of the run. */
  readonly atMs: number
  readonly request: Buffer
  /** `follow`: belongs to an earlier shot, and is sent after its answer. */
  readonly isFollow?: true
}

export interface PlannedNumber {
  /** The provider's phone number id. */
  readonly id: string
  readonly digits: string
  /** The customers who write to it, used in rotation: digits. */
  readonly contacts: readonly string[]
  /** How its endpoint is reached. */
  readonly transport: 'socket' | 'https'
}

export interface PlanContext {
  readonly numbers: readonly PlannedNumber[]
  readonly wabaId: string
  readonly appSecret: string
  readonly apiKey: string
  /** The Host header. */
  readonly host: string
  /** Bytes of the text of a message or of the offer of a call. */
  readonly bytes?: number
}

/** What is observed outside: by the receiver, or by the provider that it plays. */
export type Observed =
  | 'message.received'
  | 'message.status'
  | 'call.ringing'
  | 'call.status'
  | 'answer.sent'
  | 'provider.message'
  | 'provider.accept'

export interface Work {
  readonly name: WorkName
  readonly transport: PlannedNumber['transport']
  /** Ends the measurement; `answer`: the answer to the request does. */
  readonly measured: Observed | 'answer'
  /** Begins the measurement, where it is not the request of the unit. */
  readonly from?: Observed
  /** Other observations that our gateway owes for a unit, checked for loss. Opponents owe none. */
  readonly further: number
  /** The receiver answers each ringing call by API. */
  readonly answersCalls?: true
  /** The shots of a unit, in their order. */
  unit(context: PlanContext, index: number, atMs: number): Shot[]
}

/** The number and the customer of a unit: numbers in rotation, and the customers of each in rotation. */
export function partiesOf({ numbers }: PlanContext, index: number): { number: PlannedNumber; waId: string } {
  const number = numbers[index % numbers.length]
  const waId = number?.contacts[Math.floor(index / numbers.length) % number.contacts.length]
  if (!number || !waId) throw new Error('a plan needs a number with customers')
  return { number, waId }
}

export const businessNumber = ({ id, digits }: PlannedNumber): BusinessNumber => ({
  id,
  digits,
  verifiedName: 'Bench',
  throughput: 'STANDARD',
  calling: {},
  liveCalls: 0,
})

/** The last two digits are always 99: the simulator has no special behaviour for these endings. */
export const contactNumber = (index: number): string => String(15_558_100_000 + index * 100 + 99)

export const contactOf = (waId: string) => ({ waId, name: `Handset ${waId.slice(-7)}` })

export const webhook = (context: PlanContext, update: Update): Buffer =>
  signedWebhook(context, webhookBody(context, update))

const webhookBody = ({ wabaId }: PlanContext, update: Update): Buffer =>
  encodeWebhook(envelope(wabaId, [update]))

function signedWebhook({ appSecret, host }: PlanContext, body: Buffer): Buffer {
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': signatureOf(appSecret, body),
  }
  return rawRequest(host, { method: 'POST', path: '/provider/webhooks', headers, body })
}

/**
 * Webhooks of one form. Each context has its text once, and a unit fills in its values and signs: to write all of it
 * anew takes the generator's only thread as long as a fast variant takes for the unit.
 */
export function webhookForm(write: (context: PlanContext) => Update) {
  const known = new WeakMap<PlanContext, ReturnType<typeof template>>()
  return (context: PlanContext, values: Values): Buffer => {
    const fill = known.get(context) ?? template(webhookBody(context, write(context)).toString('latin1'))
    known.set(context, fill)
    return signedWebhook(context, Buffer.from(fill(values), 'latin1'))
  }
}

export function apiRequest({ apiKey, host }: PlanContext, path: string, body?: unknown): Buffer {
  const authorization = { authorization: `Bearer ${apiKey}` }
  if (body === undefined)
    return rawRequest(host, { method: 'GET', path: `/api/v1${path}`, headers: authorization })
  const headers = { ...authorization, 'content-type': 'application/json' }
  return rawRequest(host, {
    method: 'POST',
    path: `/api/v1${path}`,
    headers,
    body: Buffer.from(JSON.stringify(body)),
  })
}
