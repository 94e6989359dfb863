// The overview of a workspace in the console, and the health of one endpoint.

import type { ForwardError } from './call.ts'
import type { PauseReason } from './campaign.ts'
import type { LastAttempt } from './console.ts'
import type { Failure } from './failure.ts'

/** CRITICAL: something does not work now. */
export type Severity = 'CRITICAL' | 'WARNING'

interface Attempted {
  at: string
  statusCode: number | null
  error: string | null
}

/** What is known of each kind of problem. A page makes the sentence: it knows the reader's time zone. */
export interface AttentionFacts {
  ACCOUNT_STOPPED: AccountFacts
  ENDPOINT_OFF: {
    byFailures: boolean
    /** The name of the operator who turned it off, if that is known. */
    by: string | null
    failures: number
    lastAttempt: Attempted | null
    held: number
  }
  NUMBER_STOPPED: { status: string }
  /** Of the latest 20 calls of a day, those that the endpoint of the number did not take. */
  CALLS_LOST: {
    lost: number
    calls: number
    error: ForwardError
    endpoint: { id: string; name: string } | null
  }
  NO_DEFAULT_NUMBER: object
  CAMPAIGN_PAUSED: { reason: PauseReason; error: Failure | null; pending: number }
  TEMPLATE_STOPPED: { language: string; status: string; reason: string | null }
  ENDPOINT_FAILING: { failures: number; limit: number; lastAttempt: Attempted | null }
  DELIVERIES_HELD: { held: number }
  KEY_EXPIRING: { expiresAt: string; lastUsedAt: string | null }
  CAMPAIGN_UNKNOWN: { unknown: number }
  NUMBER_UNROUTED: object
  ACCOUNT_WARNING: AccountFacts
  /** In the last 24 hours. */
  NOT_UNDERSTOOD: { count: number }
}

export interface AccountFacts {
  topic: string
  message: string
  advice: string | null
  /** When it ends by itself; null: not known. */
  until: string | null
}

export type AttentionKind = keyof AttentionFacts

/** Those of one severity in the order in which they are shown. */
export const attentionKinds = [
  'ACCOUNT_STOPPED',
  'ENDPOINT_OFF',
  'NUMBER_STOPPED',
  'CALLS_LOST',
  'NO_DEFAULT_NUMBER',
  'CAMPAIGN_PAUSED',
  'TEMPLATE_STOPPED',
  'ENDPOINT_FAILING',
  'DELIVERIES_HELD',
  'KEY_EXPIRING',
  'CAMPAIGN_UNKNOWN',
  'NUMBER_UNROUTED',
  'ACCOUNT_WARNING',
  'NOT_UNDERSTOOD',
] as const satisfies readonly AttentionKind[]

interface AttentionOf<Kind extends AttentionKind> {
  /** Stays the same while the same problem lasts. */
  id: string
  kind: Kind
  severity: Severity
  /** Orders all problems, the most serious first. */
  rank: number
  /** What it is about; the id is null where that is the workspace or its account. */
  subject: { id: string | null; name: string }
  /** Null: not known. */
  since: string | null
  facts: AttentionFacts[Kind]
}

export type Attention = { [Kind in AttentionKind]: AttentionOf<Kind> }[AttentionKind]

/** Attempts to all endpoints within a quarter of an hour. */
export interface AttemptQuarter {
  /** When it begins. */
  id: string
  attempts: number
  failures: number
  /** Null without attempts. At most a tenth off. */
  p95Ms: number | null
}

/** Every count stops at `countCap`: nobody needs a higher number, and counting must stay fast. */
export interface OverviewRecord {
  calls: { live: number }
  messages: { perMinute: number[]; failedLastDay: number }
  deliveries: { pending: number; retrying: number; held: number; failedLastDay: number }
  /** Of the last 24 hours, without the quarters in which there was none. */
  attempts: AttemptQuarter[]
  endpointsOff: { id: string; name: string }[]
  campaignsRunning: number
  attention: Attention[]
}

export const countCap = 10_000

export interface EndpointHour {
  /** The start of the hour. */
  at: string
  attempts: number
  failures: number
  /** Null for an hour without attempts. */
  p50Ms: number | null
  p95Ms: number | null
  /** The hour had more attempts: these figures cover the latest ones. */
  capped: boolean
}

export interface EndpointHealth {
  endpointId: string
  /** The last 24 hours, oldest first. The last one is the current hour. */
  hours: EndpointHour[]
  /** The last attempts, newest first. */
  last: (LastAttempt & { deliveryId: string })[]
}
