// Periodic work on live actors: idle ones leave, active ones are confirmed.
import type { Clock, Timer } from '../../shared/clock.ts'

interface Kept {
  readonly id: string
  idleMs(): number
  patienceMs(): number | undefined
  confirm(): Promise<void>
}

export interface UpkeepOptions<Cell extends Kept> {
  readonly clock: Clock
  readonly everyMs: number
  /** May change while it is gone through. */
  readonly cells: () => Iterable<Cell>
  readonly leave: (cell: Cell) => void
}

/**
 * An actor with a message this recent is confirmed in advance, before an effect has to wait for it. One that would
 * leave within this time has nothing more to do.
 */
const recentMs = 5_000
/** Checking thousands of actors in one step would block the event loop. */
const slices = 8

/** Returns the function that ends it. */
export function startUpkeep<Cell extends Kept>(options: UpkeepOptions<Cell>): () => void {
  const { clock } = options
  let timer: Timer
  let slice = 0

  // Sets the next timer first and awaits nothing: a hanging query must not stop the confirmations.
  const step = () => {
    timer = clock.after(options.everyMs / slices, step)
    slice = (slice + 1) % slices
    for (const cell of options.cells()) if (sliceOf(cell.id) === slice) look(cell, options)
  }
  timer = clock.after(options.everyMs / slices, step)
  return () => timer.cancel()
}

/** Ids end in random digits, so the slices are about equal. Each actor is checked once in `everyMs`. */
const sliceOf = (id: string): number => id.charCodeAt(id.length - 1) % slices

function look<Cell extends Kept>(cell: Cell, options: UpkeepOptions<Cell>): void {
  const patienceMs = cell.patienceMs()
  if (patienceMs !== undefined && cell.idleMs() >= patienceMs) options.leave(cell)
  else if (patienceMs === undefined || (patienceMs > recentMs && cell.idleMs() < recentMs))
    void cell.confirm()
}
