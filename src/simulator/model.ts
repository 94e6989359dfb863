// The records of the simulator: numbers, handsets, calls and media files.
import type { RealPeer } from './real-peer.ts'
import type { CallState, InboxItem, OutboxItem, Permission, ShowsNumber } from './views.ts'

export type BusinessNumber = {
  readonly id: string
  readonly digits: string
  readonly verifiedName: string
  throughput: 'STANDARD' | 'HIGH'
  calling: Record<string, unknown>
  liveCalls: number
}

export type Handset = {
  /** The number, in the form that the provider reports. A user has one even if no business sees it. */
  waId: string
  /** The business-scoped user id. Undefined: webhooks do not have one, as before 2026. */
  userId: string | undefined
  /** The id that the portfolios of a managed business share. */
  parentUserId: string | undefined
  username: string | undefined
  /** Whether webhooks have the number. `known`: only to numbers that it has had to do with in 30 days. */
  showsNumber: ShowsNumber
  /** When each business number last had to do with the phone number, in Unix milliseconds. */
  readonly numberKnownAt: Map<string, number>
  /** Other ways to dial the number: the provider reports `waId` for each of them. */
  dialledAs: readonly string[]
  stoppedMarketing: boolean
  name: string
  online: boolean
  /** Overrides the media kind that the last digits of the number select. */
  media: 'real' | 'template' | undefined
  /** Plays this tone in calls with real media, instead of an echo. */
  toneHz: number | undefined
  readonly inbox: InboxItem[]
  readonly outbox: OutboxItem[]
  readonly calls: string[]
  readonly permissions: Map<string, Permission>
  /** When it last opened the 24-hour window of each business number, in Unix milliseconds. */
  readonly lastWroteAt: Map<string, number>
  /** Actions that wait for the handset to come online. */
  readonly whenOnline: (() => void)[]
  refusals: number
}

export type Call = {
  readonly wacid: string
  readonly direction: 'USER_INITIATED' | 'BUSINESS_INITIATED'
  readonly number: BusinessNumber
  readonly handset: Handset
  /** How the business named the user whom it called. */
  readonly calledBy?: 'phone' | 'id'
  readonly media: 'real' | 'template'
  readonly createdAtMs: number
  readonly timeline: { readonly at: string; readonly event: string }[]
  state: CallState
  acceptedAtMs: number | undefined
  endedAtMs: number | undefined
  endReason: string | undefined
  /** The provider's SDP, as the business receives it. */
  localSdp: string
  /** The SDP of the business, as the provider received it. */
  remoteSdp: string | undefined
  preAcceptedSdp: string | undefined
  callbackData: string | undefined
  peer: RealPeer | undefined
  ringTimer: NodeJS.Timeout | undefined
}

export type MediaFile = Readonly<{
  id: string
  mimeType: string
  fileName: string | undefined
  bytes: Buffer
  sha256: Buffer
}>

/** An upload in progress. `handle` once all bytes are there; of the bytes only their number is kept. */
export type Upload = { readonly fileType: string; readonly length: number; received: number; handle?: string }
