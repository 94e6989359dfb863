// Finds out whether a process that refuses a connection is dead, once for all who ask, and tells the others.

import type { NodeRef } from '../actors/ownership.ts'
import type { Clock } from '../shared/clock.ts'
import { pause } from '../shared/pause.ts'

export interface ObituariesOptions {
  readonly clock: Clock
  /** FAST_DEATH. */
  readonly isEnabled: boolean
  /** Whether its session is known to have ended: it said so itself when it had drained, or another found out. */
  readonly hasEnded: (sid: string) => Promise<boolean>
  readonly isRefusing: (address: string) => Promise<boolean>
  readonly declareDead: (sid: string) => Promise<unknown>
  readonly onDeath: (node: NodeRef) => void
}

const betweenMs = 300
const refusalsNeeded = 3

/** After one refusal: true where its session has ended, or once two more followed within 600 ms and it was declared dead. */
export function createObituaries(options: ObituariesOptions): (node: NodeRef) => Promise<boolean> {
  const underWay = new Map<string, Promise<boolean>>()
  return (node) => {
    const verdict = underWay.get(node.sid) ?? examine(node, options).finally(() => underWay.delete(node.sid))
    underWay.set(node.sid, verdict)
    return verdict
  }
}

async function examine(node: NodeRef, options: ObituariesOptions): Promise<boolean> {
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
