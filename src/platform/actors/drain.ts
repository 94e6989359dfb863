// Drains a process: asks every actor to leave, spread over time, and evicts the rest at the deadline.
import type { Clock } from '../../shared/clock.ts'
import { pause } from '../../shared/pause.ts'

interface Leaving {
  readonly context: { readonly signal: AbortSignal }
  leave(): void
}

export interface DrainOptions<Cell extends Leaving> {
  readonly clock: Clock
  readonly deadlineMs: number
  readonly cells: () => readonly Cell[]
  /** The number of actors that are live, being loaded or being released. */
  readonly remaining: () => number
  readonly isCancelled: () => boolean
  /** Ends an actor that has not finished. */
  readonly evict: (cell: Cell) => void
}

const stepMs = 100
/** 50 a second, more only if the deadline requires it: each may cause a new dial to its receiver. */
const leastPerStep = 5
/** Time to release the actors that were evicted at the deadline. */
const lastMs = 1_000

export async function drainActors<Cell extends Leaving>(options: DrainOptions<Cell>): Promise<void> {
  const { clock, deadlineMs } = options
  const until = clock.mono() + Math.max(0, deadlineMs - lastMs)
  const goesOn = () => options.remaining() > 0 && !options.isCancelled() && clock.mono() < until
  const asked = new WeakSet<Cell>()
  const steps = Math.max(1, Math.floor(deadlineMs / 2 / stepMs))
  const perStep = Math.max(leastPerStep, Math.ceil(options.cells().length / steps))
  while (goesOn()) {
    // Read again in each step: actors that were still loading when the drain began must leave too.
    const next = options
      .cells()
      .filter((cell) => !asked.has(cell))
      .slice(0, perStep)
    for (const cell of next) {
      asked.add(cell)
      cell.leave()
    }
    if (options.remaining() > 0) await pause(clock, stepMs)
  }
  if (options.isCancelled()) return
  for (const cell of options.cells()) options.evict(cell)
  const lastCall = clock.mono() + lastMs
  while (options.remaining() > 0 && clock.mono() < lastCall) await pause(clock, stepMs)
}
