// Leaves a process in good order: every actor is asked to go, spread over time, and at the deadline all are gone.
import type { Clock } from '../shared/clock.ts'
import { pause } from '../shared/pause.ts'

interface Leaving {
  readonly context: { readonly signal: AbortSignal }
  leave(): void
}

export interface DrainOptions<Cell extends Leaving> {
  readonly clock: Clock
  readonly deadlineMs: number
  readonly cells: () => readonly Cell[]
  /** Actors live, loading or being given back. */
  readonly remaining: () => number
  readonly isCancelled: () => boolean
  /** Ends an actor that has not finished. */
  readonly evict: (cell: Cell) => void
}

const stepMs = 100
/** 50 a second and more only if the deadline asks for it: each may mean that a receiver is dialled again. */
const leastPerStep = 5
/** For giving back what was evicted at the deadline. */
const lastMs = 1_000

export async function drainActors<Cell extends Leaving>(options: DrainOptions<Cell>): Promise<void> {
  const { clock, deadlineMs } = options
  const until = clock.mono() + Math.max(0, deadlineMs - lastMs)
  const goesOn = () => options.remaining() > 0 && !options.isCancelled() && clock.mono() < until
  const asked = new WeakSet<Cell>()
  const steps = Math.max(1, Math.floor(deadlineMs / 2 / stepMs))
  const perStep = Math.max(leastPerStep, Math.ceil(options.cells().length / steps))
  while (goesOn()) {
    // Read anew each time: what was still loading when the drain began must go too.
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
