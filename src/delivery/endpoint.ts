// The types of delivery: an endpoint's configuration, and the work to send to it.

import type { DirectEventKind, EventKind } from '../contract/events.ts'
import type { ReplyTo } from '../platform/actors/actor.ts'
import type { DeliveryId, EndpointId, WorkspaceId } from '../shared/ids.ts'

export interface EndpointConfig {
  readonly id: EndpointId
  readonly workspaceId: WorkspaceId
  readonly url: string
  readonly transport: 'https' | 'socket'
  readonly secret: string
  readonly previousSecret: { readonly secret: string; readonly untilMs: number } | null
  readonly enabled: boolean
  readonly configVersion: number
  /** The version with which it was last turned on; 0: never. */
  readonly turnedOnVersion: number
  readonly consecutiveFailures: number
  /** Its socket is dialled ahead and kept open, as calls of a number are forwarded to it. */
  readonly staysOpen: boolean
}

export const transportOf = (url: string): EndpointConfig['transport'] =>
  /^wss?:/i.test(url) ? 'socket' : 'https'

/** The next attempt of a queued delivery. It crosses nodes, so the body is text: bodies are UTF-8 JSON. */
export interface QueuedItem {
  readonly deliveryId: DeliveryId
  readonly kind: EventKind
  readonly key: string
  readonly eventId: string
  /**
   * The previous event of the same key. Null when that does not matter: the key has one writer, or it is a
   * later attempt.
   */
  readonly after: string | null
  readonly body: string
  /** Counts from one. */
  readonly attemptNumber: number
  /** A replay is one attempt: it has no retries, and its failure is not counted. */
  readonly replay: boolean
  /** When a retry or replay became due; a first attempt is due from the time in its id. */
  readonly dueAtMs?: number
}

export type QueueName = 'first' | 'retries'

/** A ringing or accepted call: one attempt within five seconds, and no delivery row. */
export interface DirectItem {
  readonly kind: DirectEventKind
  readonly body: string
  /** Sent over HTTPS besides the signature. A socket frame cannot carry them. */
  readonly headers: Readonly<Record<string, string>>
  /** When the event was handed over. */
  readonly askedAtMs?: number
}

export type DirectResult =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

export interface DirectWork {
  readonly type: 'direct'
  readonly id: number
  readonly item: DirectItem
  readonly replyTo: ReplyTo | undefined
}

export interface QueuedWork {
  readonly type: 'queued'
  readonly item: QueuedItem
}

export type Work = DirectWork | QueuedWork
