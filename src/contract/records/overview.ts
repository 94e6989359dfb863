// The overview of a workspace in the console, and the health of one endpoint.
import type { LastAttempt } from './console.ts'

export const attentionKinds = [
  'ENDPOINT_OFF',
  'ENDPOINT_FAILING',
  'DELIVERIES_HELD',
  'NO_DEFAULT_NUMBER',
  'NUMBER_UNROUTED',
  'TEMPLATE_STOPPED',
  'CAMPAIGN_PAUSED',
  'CAMPAIGN_UNKNOWN',
  'ACCOUNT_STOPPED',
  'ACCOUNT_WARNING',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

export interface Attention {
  /** Stays the same while the same problem lasts. */
  id: string
  kind: AttentionKind
  /** The text to show to a person. */
  text: string
  /** A path below the workspace's page of the console. */
  link: string
}

/** Every count stops at `countCap`: nobody needs a higher number, and counting must stay fast. */
export interface OverviewRecord {
  calls: { live: number }
  messages: { perMinute: number[]; failedToday: number }
  deliveries: { pending: number; retrying: number; failedToday: number }
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
