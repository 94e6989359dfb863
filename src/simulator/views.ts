// What the control API says of a handset, and what its stream says to the page. Types alone: the page reads them too.

/** A message from the business as the handset sees it. */
export type InboxItem = {
  readonly id: string
  readonly phoneNumberId: string
  readonly type: string
  readonly text: string
  readonly content: unknown
  readonly at: string
  readonly category: string
  readonly callbackData: string | undefined
  /** It asks the user to allow calls. */
  readonly asksPermission: boolean
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed'
  /** What it failed with. */
  errorCode?: number
}

/** A message that the handset wrote. */
export type OutboxItem = {
  readonly id: string
  readonly phoneNumberId: string
  readonly type: string
  readonly text: string
  readonly at: string
  /** The message that it answers or reacts to. */
  readonly replyTo: string | null
  readonly mediaId: string | null
  readByBusiness: boolean
  typingUntil: string | null
}

/** Whether the business may call this user, and how often it has asked and called. Times in Unix milliseconds. */
export type Permission = {
  status: 'no_permission' | 'temporary' | 'permanent'
  expiresAt?: number
  requestedAt: number[]
  connectedAt: number[]
}

export type CallState = 'ringing' | 'accepted' | 'ended'

export type CallRow = Readonly<{
  wacid: string
  direction: 'USER_INITIATED' | 'BUSINESS_INITIATED'
  state: CallState
  phoneNumberId: string
  media: 'real' | 'template'
  at: string
  acceptedAt: string | null
  endedAt: string | null
  endReason: string | null
}>

export type HandsetView = Readonly<{
  waId: string
  name: string
  online: boolean
  media: 'real' | 'template' | null
  inbox: readonly InboxItem[]
  outbox: readonly OutboxItem[]
  calls: readonly CallRow[]
  permissions: Readonly<Record<string, Permission>>
}>

export type RequestRow = Readonly<{
  seq: number
  at: string
  method: string
  path: string
  status: number | null
  durationMs: number
}>

export type WebhookRow = Readonly<{
  seq: number
  at: string
  kinds: readonly string[]
  outcome: string
  attemptCount: number
  /** Of the last attempt: its status, or what went wrong. */
  answer: number | string | null
}>

export type FaultRule = Readonly<{
  match: string
  action?: string | undefined
  to?: string | undefined
  times?: number | undefined
  abovePerSecond?: number | undefined
  delayMs?: number | undefined
  status?: number | undefined
  code?: number | undefined
  dropConnection?: 'before' | 'after' | undefined
  hang?: boolean | undefined
}>

export type WebhookRule = Readonly<{
  only?: readonly string[] | undefined
  repeat: number
  reorderMs: number
  delayMs: number
  batch: number
  silent: boolean
  failFirst: number
}>

/** What is in force; `hits` counts the requests that a rule was applied to. */
export type FaultsView = Readonly<{
  api: readonly (FaultRule & Readonly<{ hits: number }>)[]
  webhooks: WebhookRule
}>

export type BusinessNumberView = Readonly<{ id: string; digits: string; verifiedName: string }>

/** One frame of the stream: what has changed since the one before. A snapshot replaces everything that was known. */
export type LiveFrame = Readonly<{
  isSnapshot?: true
  numbers?: readonly BusinessNumberView[]
  webhookUrls?: readonly string[]
  faults?: FaultsView
  handsets?: Readonly<Record<string, HandsetView>>
  requests?: readonly RequestRow[]
  webhooks?: readonly WebhookRow[]
}>
