// Records that a forward succeeded. Nothing waits for these notes, so they are batched. If a crash loses one,
// the event is forwarded again, as after any crash during a forward.

import type { Pool } from '../../platform/postgres/sql.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { Log } from '../../shared/log.ts'
import { isClosed, isOutage } from '../../shared/outage.ts'
import { type Forwarded, noteForwarded } from '../store/call-forwards.store.ts'

export interface ForwardNotes {
  add(forwarded: Forwarded): void
  drain(): Promise<void>
}

export interface ForwardNotesOptions {
  readonly sql: Pool
  readonly log: Log
  readonly written: (forwarded: Forwarded) => void
}

/** One commit per note would cost as much as the call. The reaper checks a forward only after two seconds. */
const lingerMs = 100
const againMs = 500

export function createForwardNotes({ sql, log, written }: ForwardNotesOptions): ForwardNotes {
  const underWay = new Set<Promise<void>>()
  const forwards = new Batcher<Forwarded, void>({
    maxItems: 200,
    maxWaiting: 10_000,
    lingerMs,
    flush: async (all) => {
      await noteForwarded(sql, all)
      return all.map(written)
    },
  })

  /** While Postgres is slow or away, the note waits: without it, the next load would forward again. */
  async function write(forwarded: Forwarded): Promise<void> {
    for (;;) {
      try {
        return await forwards.add(forwarded)
      } catch (error) {
        if (isClosed(error) || !isOutage(error))
          return log.warn({ callId: forwarded.id, error: String(error) }, 'call.forward_not_noted')
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
  }

  return {
    add(forwarded) {
      const writing = write(forwarded).finally(() => underWay.delete(writing))
      underWay.add(writing)
    },
    async drain() {
      await Promise.all(underWay)
    },
  }
}
