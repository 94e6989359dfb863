// The last change or note of a call also releases its row: when its actor leaves, there is nothing left to write.

import type { CallId } from '../../shared/ids.ts'
import type { CallTx } from '../call.messages.ts'
import type { CallsStore } from '../store/calls.store.ts'

export type ReleasedRows = Pick<CallsStore, 'change' | 'release'> & {
  /** A write besides `change` has released the row. */
  released(id: string, epoch: number): void
  /** The incarnation has ended without a release. */
  dropped(id: string, epoch: number): void
}

/** One that is forgotten is released twice, which changes nothing. */
const mostRemembered = 20_000

export function releasedOnce(calls: Pick<CallsStore, 'change' | 'release'>): ReleasedRows {
  const released = new Set<string>()
  const keyOf = (id: string, epoch: number) => `${id} ${epoch}`
  return {
    async change(id: CallId, epoch: number, tx: CallTx) {
      const result = await calls.change(id, epoch, tx)
      if (result.type === 'committed' && tx.at(-1)?.isLast === true) released.add(keyOf(id, epoch))
      return result
    },
    async release(owned, sid) {
      const held = owned.filter(({ id, epoch }) => !released.delete(keyOf(id, epoch)))
      if (held.length > 0) await calls.release(held, sid)
    },
    released(id, epoch) {
      if (released.size >= mostRemembered) released.clear()
      released.add(keyOf(id, epoch))
    },
    dropped: (id, epoch) => void released.delete(keyOf(id, epoch)),
  }
}
