// The writes of SDP that are under way, and the offers that are saved while their calls begin.

import type { Log } from '../../shared/log.ts'
import type { CallOffers, CallSessions } from '../ports.ts'

/** Keeps the latest write of each call's SDP, so that others can wait for it. */
export function createUnderWay(log: Log) {
  const underWay = new Map<string, Promise<void>>()
  return {
    of: (id: string): Promise<void> => underWay.get(id) ?? Promise.resolve(),
    add(work: Promise<void>, id: string): void {
      const kept = work
        .catch((error: unknown) => log.warn({ callId: id, error: String(error) }, 'call.session_not_kept'))
        .finally(() => {
          if (underWay.get(id) === kept) underWay.delete(id)
        })
      underWay.set(id, kept)
    },
  }
}

/** Before there is an owner, with the epoch before all epochs. */
export const offersOf = (
  sessions: CallSessions,
  add: (work: Promise<void>, id: string) => void,
): CallOffers => ({
  keep: (id, session) => add(sessions.save(id, 0, { session, ownSdp: null }), id),
  forget: (id) => add(sessions.drop(id, 0), id),
})
