// The order of a conversation whose events come from several nodes: each event names the one before it, and
// the endpoint's owner remembers which one it received last.
import { Generations } from '../shared/generations.ts'
import { idTimeMs } from '../shared/ids.ts'

/**
 * A hand-over that is later than this was lost, and the sweeper has found its row by then. Counted from the id of the
 * event, which is older than its row: a statement may have waited for a connection, and several times for a lock.
 */
const lateMs = 30_000
const mostKeys = 20_000

/** The last event of each key that reached the owner, for as long as the hand-over of another may be late. */
export class RecentEvents {
  readonly #last = new Generations<string>({ limit: mostKeys, keepMs: lateMs })

  note(key: string, eventId: string, nowMs: number): void {
    this.#last.set(key, eventId, nowMs)
  }

  /** Whether this event, or a later one of its key, was here before. */
  hasPassed(key: string, eventId: string): boolean {
    return (this.#last.get(key) ?? '') >= eventId
  }

  /** Whether the event before it may still be on its way. Then only the store knows which comes first. */
  lacks(key: string, after: string | null, nowMs: number): boolean {
    return after !== null && this.#last.get(key) !== after && nowMs - idTimeMs(after) < lateMs
  }
}
