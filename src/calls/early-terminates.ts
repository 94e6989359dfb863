// A terminate on another node may commit its early terminate while our insert runs, and neither statement sees the other.
// The terminate looks for the call after its insert, and we look for the early terminate after ours: one of the two finds
// the other. If we die before that, whoever loads the call looks.

import type { Clock } from '../shared/clock.ts'
import type { CallId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { isClosed } from '../shared/outage.ts'
import { pause } from '../shared/pause.ts'
import type { CallMessage, CallTiming } from './call.messages.ts'
import type { CallLedger } from './ports.ts'

export interface EarlyTerminatesOptions {
  readonly ledger: Pick<CallLedger, 'earlyTerminateSoon'>
  readonly tell: (id: CallId, message: CallMessage) => Promise<unknown>
  readonly clock: Clock
  readonly timing: Pick<CallTiming, 'ringTimeoutMs'>
  readonly log: Pick<Log, 'warn'>
}

const againMs = { first: 250, most: 5_000 }

/** Ends the call if its terminate came first. Never rejects. */
export function createEarlyTerminates({ ledger, tell, clock, timing, log }: EarlyTerminatesOptions) {
  async function look(id: CallId, wacid: string): Promise<void> {
    const end = await ledger.earlyTerminateSoon(wacid)
    if (!end) return
    const { durationSeconds, error } = end
    await tell(id, { type: 'providerTerminate', wacid, durationSeconds, error })
  }

  // The provider does not repeat what was acknowledged. Without it, the call is over after the time to ring.
  return async (id: CallId, wacid: string): Promise<void> => {
    const untilMs = clock.mono() + timing.ringTimeoutMs
    for (let waitMs = againMs.first; ; waitMs = Math.min(waitMs * 2, againMs.most)) {
      try {
        return await look(id, wacid)
      } catch (error) {
        if (isClosed(error) || clock.mono() >= untilMs)
          return log.warn({ callId: id, error: String(error) }, 'call.tombstone_check_failed')
      }
      await pause(clock, waitMs)
    }
  }
}
