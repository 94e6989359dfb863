// What a scenario says: which webhooks go in, and which frame at the receiver each of them stands for.
import { encodeWebhook, signatureOf } from '../../src/simulator/webhook-encoding.ts'
import { envelope, type Update } from '../../src/simulator/webhook-payloads.ts'
import type { BusinessNumber } from '../../src/simulator/world.ts'

/** One webhook of the plan, signed before the run begins. */
export interface Shot {
  /** The id that the frame carries too. */
  readonly id: string
  /** After the start of the run. */
  readonly atMs: number
  readonly body: Buffer
  readonly signature: string
  /** `follow`: belongs to an earlier shot and has no frame of its own that is measured. `load`: is only there. */
  readonly role: 'warm' | 'measured' | 'follow' | 'load'
}

export interface PlannedNumber {
  /** The provider's id of it. */
  readonly id: string
  readonly digits: string
  /** What it is sent is load, and not measured. */
  readonly isBystander?: boolean
}

export interface PlanOptions {
  readonly rate: number
  readonly warmSeconds: number
  readonly seconds: number
  /** Returning customers, taken in turn. */
  readonly contacts: number
  /** Taken in turn too. */
  readonly numbers: readonly PlannedNumber[]
  readonly wabaId: string
  readonly appSecret: string
}

export interface Scenario {
  readonly name: ScenarioName
  readonly event: string
  /** Further frames for one id that the gateway owes the receiver: checked for loss, not measured. */
  readonly furtherFrames: number
  plan(options: PlanOptions): Promise<Shot[]>
}

export type ScenarioName = 'ringing' | 'event'

/** Handsets without a behaviour of their own: no ending of 00xx. */
const contactNumber = (index: number): string => String(15_558_100_000 + index * 100 + 99)

export const contactOf = (index: number) => ({ waId: contactNumber(index), name: `Handset ${index}` })

/** The slots of an open loop: planned times that nothing in the run can move. */
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
