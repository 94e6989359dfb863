// Work on all live actors: idle ones leave, active ones are confirmed.
import type { Clock, Timer } from '../../shared/clock.ts'

interface Kept {
  idleMs(): number
  patienceMs(): number | undefined
}

export interface UpkeepOptions<Cell extends Kept> {
  readonly clock: Clock
  readonly everyMs: number
  /** May change while it is gone through, which takes `everyMs`. */
  readonly cells: () => Iterator<Cell, undefined>
  /** At least as many as there are cells. */
  readonly count: () => number
  readonly leave: (cell: Cell) => void
  readonly confirm: (cells: readonly Cell[]) => void
}

/**
 * An actor with a message this recent is confirmed in advance, before an effect has to wait for it. One that would
 * leave within this time has nothing more to do.
 */
const recentMs = 5_000
/**
 * Checking thousands of actors in one step would block the event loop. More steps cost Postgres more: a query for hundreds
 * of endpoints reads them all.
 */
const slices = 4
/** Fewer share one step and one query. */
const leastShare = 128

/** Each actor is checked once in `everyMs`. Returns the function that ends it. */
export function startUpkeep<Cell extends Kept>(options: UpkeepOptions<Cell>): () => void {
  const { clock } = options
  let timer: Timer
  let slice = slices - 1
  let rest = options.cells()

  // Sets the next timer first and awaits nothing: a hanging query must not stop the confirmations.
  const step = () => {
    timer = clock.after(options.everyMs / slices, step)
    slice = (slice + 1) % slices
    if (slice === 0) rest = options.cells()
    const share = Math.max(leastShare, Math.ceil(options.count() / slices))
    // The last step takes what is left: there are fewer now than when the first one took its share.
    const active = look(rest, slice === slices - 1 ? Number.POSITIVE_INFINITY : share, options)
    if (active.length > 0) options.confirm(active)
  }
  timer = clock.after(options.everyMs / slices, step)
  return () => timer.cancel()
}

/** Lets the idle of the next cells leave, and returns those that are to be confirmed. */
function look<Cell extends Kept>(
  cells: Iterator<Cell, undefined>,
  most: number,
  options: UpkeepOptions<Cell>,
): Cell[] {
  const active: Cell[] = []
  for (let left = most; left > 0; left -= 1) {
    const { value: cell } = cells.next()
    if (!cell) break
    const patienceMs = cell.patienceMs()
    if (patienceMs !== undefined && cell.idleMs() >= patienceMs) options.leave(cell)
    else if (patienceMs === undefined || (patienceMs > recentMs && cell.idleMs() < recentMs))
      active.push(cell)
  }
  return active
}

/** Of those that may leave. It looks at every actor, so a caller takes many at once. */
export const longestIdle = <Cell extends Kept>(cells: Iterable<Cell>, most: number): Cell[] =>
  [...cells]
    .filter((cell) => cell.patienceMs() !== undefined)
    .sort((a, b) => b.idleMs() - a.idleMs())
    .slice(0, most)
