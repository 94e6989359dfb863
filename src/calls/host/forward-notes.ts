// Records that a forward succeeded. Nothing waits for these notes, so they are batched. If a crash loses one,
// the event is forwarded again, as after any crash during a forward.

import type { Pool } from '../../platform/postgres/sql.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { Log } from '../../shared/log.ts'
import { type Forwarded, noteForwarded } from '../store/call-forwards.store.ts'

export interface ForwardNotes {
  add(forwarded: Forwarded): void
  drain(): Promise<void>
}

/** One commit per note would cost as much as the call. The reaper checks a forward only after two seconds. */
const lingerMs = 100

export function createForwardNotes(sql: Pool, log: Log): ForwardNotes {
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
