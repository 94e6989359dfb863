// Records that only the console shows (decisions 6).
import type { EventKind } from '../events.ts'
import type { Scope } from '../scopes.ts'
import type { TemplateRecord } from './catalog.ts'
import type { DeliveryState } from './delivery.ts'

export interface EndpointRecord {
  id: string
  name: string
  url: string
  events: EventKind[]
  enabled: boolean
  consecutiveFailures: number
  disabledAt: string | null
  heldCount: number
  createdAt: string
}

export interface DeliveryRecord {
  id: string
  endpointId: string
  event: EventKind
  state: DeliveryState
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  finishedAt: string | null
}

export interface AttemptRecord {
  number: number
  at: string
  statusCode: number | null
  error: string | null
  durationMs: number
  /** Milliseconds of each part; a part that did not take place is absent. */
  timings: { dnsMs?: number; connectMs?: number; tlsMs?: number; firstByteMs?: number }
  /** Null where no connection came about: an address that we refuse is never shown. */
  remoteAddress: string | null
  reusedConnection: boolean | null
  responseHeaders: Record<string, string> | null
  /** The first 16 KiB as they came. */
  responseBody: string | null
  /** `base64` where the bytes are no UTF-8 text. */
  responseBodyEncoding: 'utf8' | 'base64' | null
}

export interface DeliveryDetail extends DeliveryRecord {
  /** Null once the event is past its retention. */
  body: string | null
  attempts: AttemptRecord[]
}

export interface KeyRecord {
  id: string
  name: string
  prefix: string
  scopes: Scope[]
  requestsPerSecond: number
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
  createdBy: string | null
  createdAt: string
}

export interface AuditRecord {
  id: string
  action: string
  /** Null for what no operator did: the command line, or the gateway itself. */
  operator: { id: string; name: string; email: string } | null
  subjectKind: string
  subjectId: string | null
  before: unknown
  after: unknown
  ip: string | null
  at: string
}

export interface MemberRecord {
  operatorId: string
  email: string
  name: string
  role: string
  createdAt: string
}

/** How far a campaign was: each number holds those that went further. */
export interface CampaignSample {
  at: string
  sent: number
  delivered: number
  read: number
  failed: number
}

export interface InvitationRecord {
  id: string
  email: string
  role: string
  invitedBy: { id: string; name: string; email: string }
  createdAt: string
  expiresAt: string
}

export interface WorkspaceRecord {
  id: string
  name: string
  status: 'ACTIVE' | 'SUSPENDED'
  /** The business account at the provider; null where none is connected. */
  wabaId: string | null
  /** False: it uses the access token of the installation. */
  hasOwnToken: boolean
  createdAt: string
}

/** The workspace with what the installation grants it. */
export interface WorkspaceDetail extends WorkspaceRecord {
  /** How long events, deliveries, attempts and call timelines are kept. */
  retentionDays: number
  limits: { endpoints: number; bodyBytes: number; recipientsPerCall: number }
}

/** A template as its page shows it. */
export interface TemplateDetail extends TemplateRecord {
  /** Why the provider rejected, paused or disabled it, in its own word. */
  statusReason: string | null
  /** Filled in with its examples. */
  preview: TemplatePreview
}

export interface TemplatePreview {
  header: string | null
  body: string
  footer: string | null
  buttons: readonly {
    readonly type: string
    readonly text: string
    readonly url?: string
    readonly phoneNumber?: string
  }[]
}
