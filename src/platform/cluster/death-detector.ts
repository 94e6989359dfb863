// Decides whether a process that does not answer is gone. Concurrent callers share one examination, and other
// processes learn the result.

import type { Clock } from '../../shared/clock.ts'
import { pause } from '../../shared/pause.ts'
import type { NodeRef } from '../actors/ownership.ts'
import type { Probed } from './rpc-client.ts'

export interface DeathDetectorOptions {
  readonly clock: Clock
  /** The setting FAST_DEATH. */
  readonly isEnabled: boolean
  /** The settings SESSION_TTL and SESSION_RENEW. */
  readonly sessionTtlMs: number
  readonly sessionRenewMs: number
  /** Whether the session has certainly ended: its process drained, or another process declared it dead. */
  readonly hasEnded: (sid: string) => Promise<boolean>
  readonly probe: (node: NodeRef) => Promise<Probed>
  /** Milliseconds since the node renewed its session; undefined: it has none. Rejects without Redis. */
  readonly sinceRenewal: (node: NodeRef) => Promise<number | undefined>
  /** This process was late itself: the silence may be its own. */
  readonly isSluggish: () => boolean
  /** `expired`: it was only out of reach for long. Otherwise it is gone, or stands still. */
  readonly onDeath: (node: NodeRef, how: Death) => Promise<void>
}

export type Death = 'refuses' | 'silent' | 'expired'

const betweenMs = 300
const refusalsNeeded = 3
const silencesNeeded = 2

/**
 * Call after a message without an answer. True when the session has ended already, and when the process is
 * declared dead: its port refuses three connections within 600 ms, or it answers no probe and has not renewed
 * its session for two periods. Two ways are silent then, so it is not only a broken link to it; and a process
 * that stood still asks Postgres before it acts again. A node that is only slow is not dead.
 */
export function createDeathDetector(options: DeathDetectorOptions): (node: NodeRef) => Promise<boolean> {
  const underWay = new Map<string, Promise<boolean>>()
  return (node) => {
    const verdict = underWay.get(node.sid) ?? examine(node, options).finally(() => underWay.delete(node.sid))
    underWay.set(node.sid, verdict)
    return verdict
  }
}

async function examine(node: NodeRef, options: DeathDetectorOptions): Promise<boolean> {
  if (await options.hasEnded(node.sid).catch(() => false)) return true
  if (!options.isEnabled) return false
  const death = await watch(node, options)
  if (death === undefined) return false
  await options.onDeath(node, death)
  return true
}

async function watch(node: NodeRef, options: DeathDetectorOptions): Promise<Death | undefined> {
  const { clock } = options
  const startedAt = clock.mono()
  let refusals = 0
  let silences = 0
  while (true) {
    const probed = await options.probe(node)
    if (probed === 'answers') return undefined
    if (probed === 'refuses') refusals += 1
    else silences += 1
    if (refusals >= refusalsNeeded) return 'refuses'
    if (silences >= silencesNeeded) {
      const verdict = await judgeSilence(node, clock.mono() - startedAt, options)
      if (verdict !== 'unclear') return verdict
    }
    // A silent probe has taken its time already.
    if (probed === 'refuses') await pause(clock, betweenMs)
  }
}

async function judgeSilence(
  node: NodeRef,
  silentMs: number,
  options: DeathDetectorOptions,
): Promise<Death | 'unclear' | undefined> {
  const { sessionRenewMs, sessionTtlMs } = options
  const renewal = await options.sinceRenewal(node).then(
    (ms) => ({ ms: ms ?? Number.POSITIVE_INFINITY }),
    () => 'unknown' as const,
  )
  // Without Redis there is only one way to it. Its session would have expired by now.
  if (renewal === 'unknown') return silentMs < sessionTtlMs ? 'unclear' : 'expired'
  // It renewed its session while it did not answer: it lives, and only the link to it is broken.
  if (renewal.ms < silentMs) return undefined
  if (options.isSluggish() || renewal.ms < 2 * sessionRenewMs) return 'unclear'
  return 'silent'
}
