// The messages and effects of the endpoint actor: what it receives, and what it requests.

import type { RuntimeEffect } from '../platform/actors/actor.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { AttemptReport } from './attempt.ts'
import type { DirectItem, EndpointConfig, QueuedItem, QueueName } from './endpoint.ts'
import type { AttemptRecord } from './settle-attempt.ts'

/** What to read from the store: the maximum of first attempts, and of retries and replays. */
export interface PullWish {
  readonly exclude: readonly string[]
  readonly first: number
  readonly retries: number
}

export interface Pulled {
  readonly items: readonly QueuedItem[]
  /** Whether the store has more of each. */
  readonly more: Record<QueueName, boolean>
  /** Of the configuration, when they were read; undefined where there are none. */
  readonly configVersion?: number | undefined
}

/** How a socket was opened: part of the report of the first frame on it. */
export interface SocketOpening extends Pick<AttemptReport, 'timings' | 'remoteAddress'> {
  readonly startedAtMs: number
}

export type EndpointMessage =
  | { readonly type: 'deliver'; readonly items: readonly QueuedItem[] }
  | { readonly type: 'direct'; readonly item: DirectItem }
  /** A hint: rows in the store wait longer than they should, or some that were queued wait no more. */
  | { readonly type: 'wake'; readonly isAnew?: true }
  /** A hint: somebody must own the endpoint, because calls ring at it. */
  | { readonly type: 'stayReady' }
  | { readonly type: 'dialAhead' }
  /** The process is leaving: finish what is under way, accept nothing new. */
  | { readonly type: 'leave' }
  | ({ readonly type: 'pulled'; readonly token: number } & Pulled)
  | { readonly type: 'pullFailed'; readonly token: number }
  | { readonly type: 'pullAgain' }
  | { readonly type: 'rested' }
  | { readonly type: 'configChanged' }
  | { readonly type: 'reloaded'; readonly token: number; readonly config: EndpointConfig | null }
  | { readonly type: 'reloadFailed'; readonly token: number }
  | { readonly type: 'posted'; readonly token: number; readonly report: AttemptReport }
  /** A call was held back until its configuration was outdated: nothing was sent. */
  | { readonly type: 'notPosted'; readonly token: number }
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
  /** Results that are committed, and whether the statement that wrote them found the endpoint enabled. */
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
  /** A call waits for the dial under way, which gets priority now. */
  | { readonly type: 'hurryDial'; readonly token: number }
  | {
      readonly type: 'frame'
      readonly token: number
      readonly frame: number
      readonly item: QueuedItem | DirectItem
      /** The ping that follows right behind the frame, if any. */
      ping: number | undefined
    }
  | { readonly type: 'ping'; readonly token: number; readonly ping: number }
  | { readonly type: 'closeSocket'; readonly token: number; readonly code: number; readonly reason: string }
  | { readonly type: 'cutSocket'; readonly token: number }
  | { readonly type: 'record'; readonly record: AttemptRecord }
  /** An attempt that ended by a fault of ours: it appears in the metrics, but leaves no row. */
  | { readonly type: 'observe'; readonly record: AttemptRecord }
  | ({ readonly type: 'pull'; readonly token: number; readonly workspaceId: WorkspaceId } & PullWish)
  | { readonly type: 'reload'; readonly token: number }

export type Effects = (EndpointEffect | RuntimeEffect<EndpointMessage>)[]
