// Types of the control API's handset views and of the page's stream. Only types: the page imports them too.

/** Whether webhooks have the number of a user. */
export type ShowsNumber = 'always' | 'known' | 'never'

/** What the user can tap under a message. `payload`: what comes back with it, such as the token of a flow. */
export type Choice = Readonly<{
  kind: 'button_reply' | 'list_reply' | 'button' | 'flow' | 'address' | 'location' | 'contact' | 'order'
  id: string
  title: string
  description?: string
  payload?: string
  products?: readonly string[]
}>

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
  /** The id of the message that it quotes. */
  readonly replyTo: string | null
  /** How the business named the recipient. */
  readonly sentTo: 'phone' | 'id'
  readonly choices: readonly Choice[]
  /** The message asks the user to allow calls. */
  readonly asksPermission: boolean
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed'
  /** The provider's error code of a failed message. */
  errorCode?: number
}

/** A message that the handset wrote. */
export type OutboxItem = {
  readonly id: string
  readonly phoneNumberId: string
  readonly type: string
  /** The present text: an edit replaces it. */
  text: string
  readonly at: string
  isRevoked?: boolean
  /** The id of the message that it answers or reacts to. */
  readonly replyTo: string | null
  readonly mediaId: string | null
  readByBusiness: boolean
  typingUntil: string | null
}

/** Whether the business may call this user, and when it has asked and called. Times in Unix milliseconds. */
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
  userId: string | null
  parentUserId: string | null
  username: string | null
  showsNumber: ShowsNumber
  dialledAs: readonly string[]
  /** The user takes no marketing templates from the business. */
  stoppedMarketing: boolean
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
  /** HTTP status or error of the last attempt; null before the first attempt. */
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

/** The active faults. `hits` counts the requests that a rule was applied to. */
export type FaultsView = Readonly<{
  api: readonly (FaultRule & Readonly<{ hits: number }>)[]
  webhooks: WebhookRule
}>

export type BusinessNumberView = Readonly<{ id: string; digits: string; verifiedName: string }>

/** One frame of the stream: the changes since the previous one. A snapshot replaces everything before it. */
export type LiveFrame = Readonly<{
  isSnapshot?: true
  numbers?: readonly BusinessNumberView[]
  webhookUrls?: readonly string[]
  faults?: FaultsView
  handsets?: Readonly<Record<string, HandsetView>>
  requests?: readonly RequestRow[]
  webhooks?: readonly WebhookRow[]
}>
