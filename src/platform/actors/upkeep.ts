// Periodic work on live actors: idle ones leave, active ones are confirmed, directory entries are renewed.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { DropReason } from './cell.ts'
import type { Claim } from './ownership.ts'

interface Kept {
  readonly id: string
  idleMs(): number
  patienceMs(): number | undefined
  confirm(): Promise<void>
  drop(reason: DropReason): void
}

export interface UpkeepOptions<Cell extends Kept> {
  readonly clock: Clock
  readonly everyMs: number
  /** May change while it is gone through. */
  readonly cells: () => Iterable<Cell>
  readonly claim: (id: string) => Promise<Claim>
  readonly leave: (cell: Cell) => void
}

/**
 * An actor with a message this recent is confirmed in advance, before an effect has to wait for it. One that would
 * leave within this time has nothing more to do.
 */
const recentMs = 5_000
/** Checking thousands of actors in one step would block the event loop. */
const slices = 8
/** A third of the shortest TTL of a directory entry. */
const claimEveryMs = 300_000
/** Claims of one step: 200 a second, so that a lost session does not cause a burst. */
const claimStepMs = 100
const claimsPerStep = 20

export function startUpkeep<Cell extends Kept>(options: UpkeepOptions<Cell>) {
  const { clock } = options
  let confirming: Timer
  let claiming: Timer
  let due: Cell[] = []

  let slice = 0

  // Sets the next timer first and awaits nothing: a hanging query must not stop the confirmations.
  const confirmStep = () => {
    confirming = clock.after(options.everyMs / slices, confirmStep)
    slice = (slice + 1) % slices
    for (const cell of options.cells()) if (sliceOf(cell.id) === slice) look(cell, options)
  }
  const claimStep = () => {
    if (due.length > 0) claiming = clock.after(claimStepMs, claimStep)
    else claiming = clock.after(claimEveryMs, claimAgain)
    for (const cell of due.splice(0, claimsPerStep)) void claimOne(cell, options)
  }
  const claimAgain = () => {
    claiming.cancel()
    due = shuffled([...options.cells()])
    claimStep()
  }
  confirming = clock.after(options.everyMs / slices, confirmStep)
  claiming = clock.after(claimEveryMs, claimAgain)
  return {
    claimAgain,
    stop() {
      confirming.cancel()
      claiming.cancel()
    },
  }
}

/** Ids end in random digits, so the slices are about equal. Each actor is checked once in `everyMs`. */
const sliceOf = (id: string): number => id.charCodeAt(id.length - 1) % slices

function look<Cell extends Kept>(cell: Cell, options: UpkeepOptions<Cell>): void {
  const patienceMs = cell.patienceMs()
  if (patienceMs !== undefined && cell.idleMs() >= patienceMs) options.leave(cell)
  else if (patienceMs === undefined || (patienceMs > recentMs && cell.idleMs() < recentMs))
    void cell.confirm()
}

async function claimOne<Cell extends Kept>(cell: Cell, options: UpkeepOptions<Cell>): Promise<void> {
  const claim = await options.claim(cell.id)
  if (claim.type === 'theirs') cell.drop('foreign')
}

// Nodes that lost their sessions at the same time would otherwise claim in the same order.
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
