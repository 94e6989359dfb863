// What the console shows at a glance, and the health of one endpoint (decisions 6).

export const attentionKinds = [
  'ENDPOINT_OFF',
  'ENDPOINT_FAILING',
  'DELIVERIES_HELD',
  'NO_DEFAULT_NUMBER',
  'NUMBER_UNROUTED',
  'TEMPLATE_STOPPED',
  'CAMPAIGN_PAUSED',
  'CAMPAIGN_UNKNOWN',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

export interface Attention {
  /** The same for as long as it is the same matter. */
  id: string
  kind: AttentionKind
  /** For a person. */
  text: string
  /** Below the workspace's page of the console. */
  link: string
}

/** Every count stops at `countCap`: past it nobody needs the number, and counting must stay quick. */
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
  /** When the hour begins. */
  at: string
  attempts: number
  failures: number
  /** Null in an hour without attempts. */
  p50Ms: number | null
  p95Ms: number | null
  /** There were more: these figures are of the latest. */
  capped: boolean
}

export interface EndpointHealth {
  endpointId: string
  /** The last 24, oldest first; the one that has not ended is the last. */
  hours: EndpointHour[]
}
