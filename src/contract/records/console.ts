// Records that only the console shows.
import type { EventKind } from '../events.ts'
import type { Scope } from '../scopes.ts'
import type { CallRecord } from './call.ts'
import type { CampaignStatus } from './campaign.ts'
import type { TemplateRecord } from './catalog.ts'
import type { ConversationRecord } from './conversation.ts'
import type { DeliveryState } from './delivery.ts'
import type { MessagePreview, MessageRecord } from './message.ts'

export interface EndpointRecord {
  id: string
  name: string
  url: string
  events: EventKind[]
  enabled: boolean
  consecutiveFailures: number
  disabledAt: string | null
  /** Why it is off: an operator turned it off, or it failed too often in a row. Null while it is on. */
  disabledReason: 'OPERATOR' | 'FAILURES' | null
  /** The operator who turned it off; null where nobody did, or where the operator was deleted. */
  disabledBy: { id: string; name: string } | null
  heldCount: number
  createdAt: string
  /** Null while it has the address that it was created with. */
  addressChangedAt: string | null
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
  lastAttempt: LastAttempt | null
  subject: DeliverySubject
}

export type LastAttempt = Pick<AttemptRecord, 'at' | 'statusCode' | 'error' | 'durationMs'>

/** What an event is about, as far as it is still known. */
export interface DeliverySubject {
  /** A test event is about nothing that exists. */
  kind: 'message' | 'call' | 'contact' | 'account' | 'test'
  /** A message, a call, or the conversation of a contact; null where there is no such record. */
  id: string | null
  /** Of the event, such as READ, MISSED or a word of the provider; null where it tells none. */
  status: string | null
  /** `number`: digits; null where the number is hidden. */
  contact: { name: string | null; number: string | null; username: string | null } | null
  /** The name of the template of a message. */
  template: string | null
  campaign: { id: string; name: string } | null
}

export interface AttemptRecord {
  number: number
  at: string
  statusCode: number | null
  error: string | null
  /** The cause, where one code has several: why a certificate was rejected. */
  errorDetail: string | null
  durationMs: number
  /** Milliseconds of each phase. A phase that did not take place is absent. */
  timings: { dnsMs?: number; connectMs?: number; tlsMs?: number; firstByteMs?: number }
  /** Null if no connection was made: an address that we refuse is never shown. */
  remoteAddress: string | null
  reusedConnection: boolean | null
  responseHeaders: Record<string, string> | null
  /** The first 16 KiB, unchanged. */
  responseBody: string | null
  /** `base64` if the bytes are not UTF-8 text. */
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
  /** Addresses and ranges that may use the key; empty: all. */
  allowedIps: string[]
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
  createdBy: string | null
  createdAt: string
}

export interface AuditRecord {
  id: string
  action: string
  /** Null for an action of an API key, of the command line or of the gateway itself. */
  operator: { id: string; name: string; email: string } | null
  /** The API key that downloaded something. */
  key: { id: string; name: string; prefix: string } | null
  subjectKind: string
  subjectId: string | null
  before: unknown
  after: unknown
  ip: string | null
  /** The browser in words, such as `Firefox on Linux`, and its `User-Agent`. Null where none was recorded. */
  device: string | null
  userAgent: string | null
  at: string
}

/** An entry in words: `did` and then `subjectName`, such as `Rotated the secret of endpoint` and `crm`. */
export interface ToldAuditRecord extends AuditRecord {
  did: string
  /** Null where the words say all, and where nothing of the subject is left. */
  subjectName: string | null
  /** What the ids among the values of before and after are called. */
  names: Record<string, string>
}

/** An entry of an account: `did` says all, such as `Signed in`. */
export interface AccountAuditRecord extends AuditRecord {
  did: string
}

/** What the audit can be filtered by: one action, or a kind of them. */
export interface AuditWord {
  action: string
  group: string
  title: string
}

export interface MemberRecord {
  operatorId: string
  email: string
  name: string
  role: string
  /** Since when the operator may sign in nowhere. */
  disabledAt: string | null
  /** Whoever runs the installation has verified that the address belongs to this person. */
  verified: boolean
  /** Whether the account has a second factor; null for readers below ADMIN. */
  secondFactor: boolean | null
  createdAt: string
}

/** The progress of a campaign at one time. Each count includes the recipients that went further. */
export interface CampaignSample {
  at: string
  sent: number
  delivered: number
  read: number
  failed: number
}

/** What a running campaign may send now. */
export interface CampaignPace {
  messagesPerSecond: number
  /** PROVIDER: it has throttled the number. */
  limitedBy: 'CAMPAIGN_PACE' | 'NUMBER_RATE' | 'OTHER_CAMPAIGNS' | 'MESSAGING_LIMIT' | 'PROVIDER'
  /** What the rest takes as planned. */
  seconds: number
  /** The number sends nothing for so long. */
  blockedSeconds: number
  /** What else stops or slows it, for a person. */
  warnings: string[]
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
  /** The business account at the provider; null if none is connected. */
  wabaId: string | null
  /** False: it uses the access token of the installation. */
  hasOwnToken: boolean
  /** Days that texts and files are kept; null: without an end. */
  contentDays: number | null
  /** From this time on members without a second factor are turned away; null: none is required. */
  secondFactorFrom: string | null
  /** How many minutes after a sign-in a session is taken; null: 7 days. */
  sessionMinutes: number | null
  /** After how many minutes without use a session is not taken any more; null: 12 hours. */
  idleMinutes: number | null
  createdAt: string
}

/** The workspace, with the retention and the limits of the installation. */
export interface WorkspaceDetail extends WorkspaceRecord {
  /** How long events, deliveries, attempts and call timelines are kept. */
  retentionDays: number
  limits: { endpoints: number; bodyBytes: number; recipientsPerCall: number }
}

/** A template, as its page shows it. */
export interface TemplateDetail extends TemplateRecord {
  /** Why the provider rejected, paused or disabled the template, in the provider's word. */
  statusReason: string | null
  /** Filled in with the examples of the template. */
  preview: TemplatePreview
}

export type TemplatePreview = Pick<
  MessagePreview,
  'headerFormat' | 'header' | 'body' | 'footer' | 'buttons' | 'offer' | 'cards'
>

export type SearchKind =
  | ('contact' | 'conversation' | 'message' | 'call')
  | ('campaign' | 'recipient' | 'template' | 'number')
  | ('delivery' | 'element' | 'audit' | 'endpoint' | 'key' | 'member')

/** What a search of the workspace found. */
export interface SearchResult {
  kind: SearchKind
  /** Of a contact: that of the latest conversation. */
  id: string
  /** Null where nothing but the number is known. */
  title: string | null
  /** E.164. */
  number: string | null
  /** What else tells it from others, or the key that was found. */
  detail: string | null
  status: string | null
  at: string | null
  /** The page that shows it, within the workspace. */
  link: string
}

/** A message or a call of a conversation. The id is that of the message or the call. */
export type ThreadEntry =
  | {
      id: string
      kind: 'message'
      message: MessageRecord
      /** That sent the message. */
      campaign: { id: string; name: string } | null
    }
  | { id: string; kind: 'call'; call: CallRecord }

/** What the console shows beside a thread. */
export interface ConversationDetails {
  /** The latest calls of the conversation. */
  calls: CallRecord[]
  /** Of the latest messages: the campaigns that sent some, the latest first. */
  campaigns: { id: string; name: string; status: CampaignStatus; lastSentAt: string }[]
  /** The latest conversations of the same contact with other numbers of the workspace. */
  others: ConversationRecord[]
}
