// Counts and logs the messages that this process refuses, never with their content: it comes from a stranger.

import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'

/** How a message came to this process: to the internal port, over a socket or as a POST, or over Redis. */
export type Way = 'http' | 'inbox'

export type RefusalReason =
  /** It has no seal. */
  | 'unsealed'
  /** Its seal is not that of its content under CLUSTER_SECRET. */
  | 'forged'
  /** Its seal is genuine, but too old, or the clocks differ. */
  | 'expired'
  /** It was in an inbox before: in this one, or in that of another process. */
  | 'replayed'
  /** Only the actor itself may post such a message. */
  | 'internal'
  | 'malformed'

export type Refused = (way: Way, reason: RefusalReason) => void

export interface RefusalsOptions {
  readonly clock: Clock
  readonly log: Log
  readonly count: Refused
}

/** Whoever floods us must not flood the log: one line a second for each way and reason. */
const betweenMs = 1_000

export function createRefusals({ clock, log, count }: RefusalsOptions): Refused {
  const kept = new Map<string, { messages: number; until: number }>()
  return (way, reason) => {
    count(way, reason)
    const key = `${way} ${reason}`
    const line = kept.get(key) ?? { messages: 0, until: Number.NEGATIVE_INFINITY }
    kept.set(key, line)
    line.messages += 1
    if (clock.mono() < line.until) return
    log.warn({ way, reason, messages: line.messages }, 'cluster.message_refused')
    line.messages = 0
    line.until = clock.mono() + betweenMs
  }
}
