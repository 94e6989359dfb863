// Notes that a forward succeeded. Nobody waits for them, so they share statements; should one be lost in a crash, the
// event is forwarded once more, as after any crash of a forwarder.
import type { CallLog } from '../calls/ports.ts'
import { Batcher } from '../shared/batcher.ts'
import { type Forwarded, noteForwarded } from '../store/call-forwards.store.ts'
import type { Pool } from '../store/sql.ts'

export interface ForwardNotes {
  add(forwarded: Forwarded): void
  drain(): Promise<void>
}

/** A commit for each would cost as much as the call; the reaper looks after two seconds. */
const lingerMs = 100

export function createForwardNotes(sql: Pool, log: CallLog): ForwardNotes {
  const forwards = new Batcher<Forwarded, void>({
    maxItems: 200,
    maxWaiting: 10_000,
    lingerMs,
    flush: async (all) => {
      await noteForwarded(sql, all)
      return all.map(() => undefined)
    },
  })
  return {
    add(forwarded) {
      forwards.add(forwarded).catch((error: unknown) => {
        log.warn({ callId: forwarded.id, error: String(error) }, 'call.forward_not_noted')
      })
    },
    drain: () => forwards.drain(),
  }
}
