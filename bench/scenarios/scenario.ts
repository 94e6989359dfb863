// Defines a scenario: the webhooks that go in, and the frame at the receiver that belongs to each of them.

import type { BusinessNumber } from '../../src/simulator/model.ts'
import { encodeWebhook, signatureOf } from '../../src/simulator/webhook-encoding.ts'
import { envelope, type Update } from '../../src/simulator/webhook-payloads.ts'

/** One webhook of the plan, signed before the run begins. */
export interface Shot {
  /** The frame carries the same id. */
  readonly id: string
  /** Milliseconds after the start of the run. */
  readonly atMs: number
  readonly body: Buffer
  readonly signature: string
  /** `follow`: belongs to an earlier shot and has no measured frame. `load`: is sent but not measured. */
  readonly role: 'warm' | 'measured' | 'follow' | 'load'
}

export interface PlannedNumber {
  /** The provider's phone number id. */
  readonly id: string
  readonly digits: string
  /** Its webhooks are load and not measured. */
  readonly isBystander?: boolean
}

export interface PlanOptions {
  readonly rate: number
  readonly warmSeconds: number
  readonly seconds: number
  /** Number of returning customers, used in rotation. */
  readonly contacts: number
  /** Used in rotation. */
  readonly numbers: readonly PlannedNumber[]
  readonly wabaId: string
  readonly appSecret: string
}

export interface Scenario {
  readonly name: ScenarioName
  readonly event: string
  /** Number of other frames that the gateway must send for each id. Checked for loss, but not measured. */
  readonly furtherFrames: number
  plan(options: PlanOptions): Promise<Shot[]>
}

export type ScenarioName = 'ringing' | 'event'

/** The last two digits are always 99: the simulator has no special behaviour for these endings. */
const contactNumber = (index: number): string => String(15_558_100_000 + index * 100 + 99)

export const contactOf = (index: number) => ({ waId: contactNumber(index), name: `Handset ${index}` })

/** The slots of an open loop: their planned times do not depend on what happens in the run. */
export function slots({
  rate,
  warmSeconds,
  seconds,
}: PlanOptions): { atMs: number; role: 'warm' | 'measured' }[] {
  const warm = Math.round(rate * warmSeconds)
  const total = warm + Math.round(rate * seconds)
  return Array.from({ length: total }, (_, index) => ({
    atMs: (index * 1_000) / rate,
    role: index < warm ? 'warm' : 'measured',
  }))
}

export function numberOf({ numbers }: PlanOptions, index: number): PlannedNumber {
  const number = numbers[index % numbers.length]
  if (!number) throw new Error('a plan needs a number')
  return number
}

export const businessNumber = ({ id, digits }: PlannedNumber): BusinessNumber => ({
  id,
  digits,
  verifiedName: 'Bench',
  throughput: 'STANDARD',
  calling: {},
  liveCalls: 0,
})

export function shot(options: PlanOptions, update: Update, facts: Pick<Shot, 'id' | 'atMs' | 'role'>): Shot {
  const body = encodeWebhook(envelope(options.wabaId, [update]))
  return { ...facts, body, signature: signatureOf(options.appSecret, body) }
}
