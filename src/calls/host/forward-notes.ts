// Records that a forward succeeded. Nothing waits for these notes, so they are batched, and the next change of the call
// takes along what has not been written. If a crash loses one, the event is forwarded again, as after any crash during a
// forward.

import type { Pool } from '../../platform/postgres/sql.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { Log } from '../../shared/log.ts'
import { isClosed, isOutage } from '../../shared/outage.ts'
import type { CallTx } from '../call.messages.ts'
import { type Forwarded, noteForwarded } from '../store/call-forwards.store.ts'

type Owned = Pick<Forwarded, 'id' | 'epoch'>

export interface ForwardNotes {
  add(forwarded: Forwarded): void
  /** Runs `change` with what is to be written. A note that waits goes with it, and waits on where that fails. */
  along<Result extends { readonly type: string }>(
    owned: Owned,
    tx: CallTx,
    change: (tx: CallTx) => Promise<Result>,
  ): Promise<Result>
  /** Resolves when nothing of these calls is left to write. */
  settled(all: readonly Owned[]): Promise<void>
}

export interface ForwardNotesOptions {
  readonly sql: Pool
  readonly log: Log
  readonly written: (forwarded: Forwarded) => void
}

/**
 * A call that is answered by a program, or over at once, changes within this time: a write less. The reaper checks a
 * forward only after two seconds.
 */
const lingerMs = 500
const mostLingering = 5_000
const againMs = 500

const keyOf = ({ id, epoch }: Owned): string => `${id} ${epoch}`

export function createForwardNotes(options: ForwardNotesOptions): ForwardNotes {
  const lingering = new Map<string, Forwarded>()
  const underWay = new Map<string, Promise<void>>()
  const write = createWrite(options)
  let timer: NodeJS.Timeout | undefined

  function start(key: string, forwarded: Forwarded): void {
    lingering.delete(key)
    const writing = write(forwarded).finally(() => underWay.delete(key))
    underWay.set(key, writing)
  }

  function startAll(): void {
    clearTimeout(timer)
    timer = undefined
    for (const [key, forwarded] of lingering) start(key, forwarded)
  }

  function add(forwarded: Forwarded): void {
    lingering.set(keyOf(forwarded), forwarded)
    timer ??= setTimeout(startAll, lingerMs)
    if (lingering.size >= mostLingering) startAll()
  }

  return {
    add,
    async along(owned, tx, change) {
      const key = keyOf(owned)
      const note = lingering.get(key)
      const [first, ...others] = tx
      if (!note || !first) return change(tx)
      lingering.delete(key)
      const result = await change([{ ...first, notes: [...note.notes, ...first.notes] }, ...others]).catch(
        (error: unknown) => {
          add(note)
          throw error
        },
      )
      if (result.type !== 'committed') add(note)
      return result
    },
    async settled(all) {
      await Promise.all(
        all.map((owned) => {
          const key = keyOf(owned)
          const note = lingering.get(key)
          if (note) start(key, note)
          return underWay.get(key)
        }),
      )
    },
  }
}

/** While Postgres is slow or away, the note waits: without it, the next load would forward again. */
function createWrite({ sql, log, written }: ForwardNotesOptions): (forwarded: Forwarded) => Promise<void> {
  const forwards = new Batcher<Forwarded, void>({
    maxItems: 200,
    maxWaiting: 10_000,
    flush: async (all) => {
      await noteForwarded(sql, all)
      return all.map(written)
    },
  })
  return async (forwarded) => {
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
}
