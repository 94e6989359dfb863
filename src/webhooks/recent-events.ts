// The order of a conversation over several nodes: each of its events names the one before it, and whoever sends to an
// endpoint remembers which it had last.
import { idTimeMs } from '../shared/ids.ts'

/** A hand-over that is later than this was lost, and the sweeper has found its row by then. */
const lateMs = 5_000
const mostKeys = 2_000

/** The last event of each key that came to an endpoint's owner, for as long as another's hand-over may be late. */
export class RecentEvents {
  /** Oldest first, for each key is entered anew. */
  readonly #last = new Map<string, string>()

  note(key: string, eventId: string, nowMs: number): void {
    this.#last.delete(key)
    this.#last.set(key, eventId)
    for (const [oldest, id] of this.#last) {
      if (this.#last.size <= mostKeys && nowMs - idTimeMs(id) < lateMs) return
      this.#last.delete(oldest)
    }
  }

  /** Whether the event before may still be on its way here: then only the store knows what comes first. */
  lacks(key: string, after: string | null, nowMs: number): boolean {
    return after !== null && this.#last.get(key) !== after && nowMs - idTimeMs(after) < lateMs
  }
}
