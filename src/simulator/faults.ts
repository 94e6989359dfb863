import * as v from 'valibot'
import type { FaultsView } from './views.ts'

const milliseconds = v.pipe(v.number(), v.minValue(0), v.maxValue(600_000))
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000))

const ApiFault = v.strictObject({
  /** The edge of the request's path (`messages`, `calls`, ...), `download`, `node`, or `*`. */
  match: v.string(),
  /** Only call requests with this `action`. */
  action: v.optional(v.string()),
  /** Only messages and calls whose `to` or `recipient` ends with this. */
  to: v.optional(v.string()),
  /** Number of requests that the rule applies to. Default: all. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** Applies only to requests above this number per second. */
  abovePerSecond: v.optional(v.pipe(v.number(), v.minValue(0))),
  delayMs: v.optional(milliseconds),
  status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))),
  code: v.optional(v.pipe(v.number(), v.integer())),
  /** Closes the connection instead of answering, before or after the request takes effect. */
  dropConnection: v.optional(v.picklist(['before', 'after'])),
  /** Never answers; the request has no effect. */
  hang: v.optional(v.boolean()),
})
export type ApiFault = v.InferOutput<typeof ApiFault>

const WebhookFaults = v.strictObject({
  /** Only updates whose kind starts with one of these, such as `status` or `call.terminate`. */
  only: v.optional(v.array(v.string())),
  /** How many more times each POST is sent after a 200. */
  repeat: v.optional(count, 0),
  /** Each update is delayed by a random time up to this value. */
  reorderMs: v.optional(milliseconds, 0),
  delayMs: v.optional(milliseconds, 0),
  /** Up to this many updates go into one POST. An update waits at most 100 ms for others. */
  batch: v.optional(v.pipe(count, v.minValue(1)), 1),
  /** Updates are not sent at all. */
  silent: v.optional(v.boolean(), false),
  /** This number of first attempts of each POST counts as unanswered, whatever the answer is. */
  failFirst: v.optional(count, 0),
})
export type WebhookFaults = v.InferOutput<typeof WebhookFaults>

export const FaultsBody = v.strictObject({
  api: v.optional(v.pipe(v.array(ApiFault), v.maxLength(100)), []),
  webhooks: v.optional(WebhookFaults, {}),
})

const NO_WEBHOOK_FAULTS: WebhookFaults = v.parse(WebhookFaults, {})

export type ApiRequestFacts = Readonly<{ edge: string; action: string | undefined; to: string | undefined }>

type Armed = { readonly fault: ApiFault; left: number; hits: number; second: number; seen: number }

/** The active faults. Rules are tried in their order. The first one that applies is used. */
export class Faults {
  webhooks: WebhookFaults = NO_WEBHOOK_FAULTS
  #api: Armed[] = []

  replace(body: v.InferOutput<typeof FaultsBody>): void {
    this.webhooks = body.webhooks
    this.#api = body.api.map((fault) => ({
      fault,
      left: fault.times ?? Number.POSITIVE_INFINITY,
      hits: 0,
      second: 0,
      seen: 0,
    }))
  }

  clear(): void {
    this.webhooks = NO_WEBHOOK_FAULTS
    this.#api = []
  }

  /** The active faults. `times` is the number of requests that are left. */
  view(): FaultsView {
    const api = this.#api
      .filter(({ left }) => left > 0)
      .map(({ fault, left, hits }) => ({ ...fault, ...(Number.isFinite(left) ? { times: left } : {}), hits }))
    return { api, webhooks: this.webhooks }
  }

  take(request: ApiRequestFacts, nowMs: number): ApiFault | undefined {
    const hit = this.#api.find((armed) => matches(armed.fault, request) && applies(armed, nowMs))
    if (hit === undefined) return undefined
    hit.left -= 1
    hit.hits += 1
    return hit.fault
  }
}

function matches(fault: ApiFault, request: ApiRequestFacts): boolean {
  if (fault.match !== '*' && fault.match !== request.edge) return false
  if (fault.action !== undefined && fault.action !== request.action) return false
  return fault.to === undefined || request.to?.endsWith(fault.to) === true
}

function applies(armed: Armed, nowMs: number): boolean {
  if (armed.left <= 0) return false
  if (armed.fault.abovePerSecond === undefined) return true
  const second = Math.floor(nowMs / 1000)
  if (second !== armed.second) {
    armed.second = second
    armed.seen = 0
  }
  armed.seen += 1
  return armed.seen > armed.fault.abovePerSecond
}
