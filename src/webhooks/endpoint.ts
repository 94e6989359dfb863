// The vocabulary of the endpoint actor: what it knows, what it is told, what it asks for.
import type { RuntimeEffect } from '../actors/actor.ts'
import type { DirectEventKind, EventKind } from '../contract/events.ts'
import type { DeliveryId, EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { AttemptReport } from './attempt.ts'
import type { AttemptRecord } from './settle-attempt.ts'

export interface EndpointConfig {
  readonly id: EndpointId
  readonly workspaceId: WorkspaceId
  readonly url: string
  readonly transport: 'https' | 'socket'
  readonly secret: string
  readonly previousSecret: { readonly secret: string; readonly untilMs: number } | null
  readonly enabled: boolean
  readonly configVersion: number
  readonly consecutiveFailures: number
}

export const transportOf = (url: string): EndpointConfig['transport'] =>
  /^wss?:/i.test(url) ? 'socket' : 'https'

/** One attempt to make of a queued delivery. Crosses nodes, so the body is text: bodies are UTF-8 JSON. */
export interface QueuedItem {
  readonly deliveryId: DeliveryId
  readonly kind: EventKind
  readonly key: string
  readonly eventId: string
  /** The event before it of the same key; null where that does not matter: the key has one writer, or it is no first attempt. */
  readonly after: string | null
  readonly body: string
  /** Counts from one. */
  readonly attemptNumber: number
  /** A replay is one attempt: no retries, and its failure is not counted. */
  readonly replay: boolean
  /** When a retry or replay became due; a first attempt is due from the time in its id. */
  readonly dueAtMs?: number
}

/** What to bring from the store: at most so many first attempts, and so many retries and replays. */
export interface PullWish {
  readonly exclude: readonly string[]
  readonly first: number
  readonly retries: number
}

export interface Pulled {
  readonly items: readonly QueuedItem[]
  /** Whether the store has more of each. */
  readonly more: Record<LaneName, boolean>
}

export type LaneName = 'first' | 'retries'

/** A ringing or accepted call: one try within five seconds, no delivery row (specification, direct delivery). */
export interface DirectItem {
  readonly kind: DirectEventKind
  readonly body: string
  /** Sent over HTTPS besides the signature; a socket has no place for them. */
  readonly headers: Readonly<Record<string, string>>
  /** When the event was handed over. */
  readonly askedAtMs?: number
}

export type DirectResult =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

/** What it took to open a socket: part of the report of the first frame on it. */
export interface SocketOpening extends Pick<AttemptReport, 'timings' | 'remoteAddress'> {
  readonly startedAtMs: number
}

export type EndpointMessage =
  | { readonly type: 'deliver'; readonly items: readonly QueuedItem[] }
  | { readonly type: 'direct'; readonly item: DirectItem }
  /** A hint: rows in the store wait longer than they should. */
  | { readonly type: 'wake' }
  /** The process is leaving: finish what is under way, take nothing new. */
  | { readonly type: 'leave' }
  | ({ readonly type: 'pulled'; readonly token: number } & Pulled)
  | { readonly type: 'pullFailed'; readonly token: number }
  | { readonly type: 'pullAgain' }
  | { readonly type: 'rested' }
  | { readonly type: 'configChanged' }
  | { readonly type: 'reloaded'; readonly config: EndpointConfig | null }
  | { readonly type: 'posted'; readonly token: number; readonly report: AttemptReport }
  | { readonly type: 'dialled'; readonly token: number; readonly opening: SocketOpening }
  | { readonly type: 'dialFailed'; readonly token: number; readonly report: AttemptReport }
  | { readonly type: 'frameDone'; readonly token: number; readonly frame: number; readonly written: boolean }
  | { readonly type: 'socketClosed'; readonly token: number; readonly code: number }
  | { readonly type: 'pong'; readonly token: number; readonly ping: number }
  | { readonly type: 'directDue'; readonly work: number }
  | { readonly type: 'cooledDown' }
  | { readonly type: 'settleDue'; readonly token: number }
  | { readonly type: 'pingDue'; readonly token: number }
  | { readonly type: 'pongLate'; readonly token: number }
  | { readonly type: 'idleDue'; readonly token: number }
  /** Results that are committed, and what the row says since. */
  | { readonly type: 'recorded'; readonly deliveryIds: readonly string[]; readonly enabled: boolean }

export type EndpointEffect =
  | {
      readonly type: 'post'
      readonly token: number
      readonly config: EndpointConfig
      readonly item: QueuedItem | DirectItem
    }
  | {
      readonly type: 'dial'
      readonly token: number
      readonly config: EndpointConfig
      readonly isUrgent: boolean
    }
  /** A call waits for the dial under way. */
  | { readonly type: 'hurryDial'; readonly token: number }
  | {
      readonly type: 'frame'
      readonly token: number
      readonly frame: number
      readonly item: QueuedItem | DirectItem
    }
  | { readonly type: 'ping'; readonly token: number; readonly ping: number }
  | { readonly type: 'closeSocket'; readonly token: number; readonly code: number; readonly reason: string }
  | { readonly type: 'cutSocket'; readonly token: number }
  | { readonly type: 'record'; readonly record: AttemptRecord }
  /** An attempt that a fault of ours ended: it is seen, but leaves no row. */
  | { readonly type: 'observe'; readonly record: AttemptRecord }
  | ({ readonly type: 'pull'; readonly token: number; readonly workspaceId: WorkspaceId } & PullWish)
  | { readonly type: 'reload' }

export type Effects = (EndpointEffect | RuntimeEffect<EndpointMessage>)[]
