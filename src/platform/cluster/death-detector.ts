// Checks whether a process that refuses connections is dead. Concurrent callers share one check, and other
// processes learn the result.

import type { Clock } from '../../shared/clock.ts'
import { pause } from '../../shared/pause.ts'
import type { NodeRef } from '../actors/ownership.ts'

export interface DeathDetectorOptions {
  readonly clock: Clock
  /** The setting FAST_DEATH. */
  readonly isEnabled: boolean
  /** Whether the session has certainly ended: its process drained, or another process declared it dead. */
  readonly hasEnded: (sid: string) => Promise<boolean>
  readonly isRefusing: (address: string) => Promise<boolean>
  readonly declareDead: (sid: string) => Promise<unknown>
  readonly onDeath: (node: NodeRef) => void
}

const betweenMs = 300
const refusalsNeeded = 3

/**
 * Call after one refused connection. True when the session has ended already, or when two more connections
 * are refused within 600 ms and the session was declared dead.
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
  for (let refusals = 1; refusals < refusalsNeeded; refusals += 1) {
    await pause(options.clock, betweenMs)
    if (!(await options.isRefusing(node.address))) return false
  }
  try {
    await options.declareDead(node.sid)
  } catch {
    return false
  }
  options.onDeath(node)
  return true
}
