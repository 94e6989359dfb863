// The named timers of one actor. Setting a name again replaces its timer, unless it is due at the same time.
import type { Clock, Timer } from '../../shared/clock.ts'

interface Named {
  readonly timer: Timer
  readonly dueAt: number
  run: () => void
}

export class Timers {
  readonly #clock: Clock
  readonly #timers = new Map<string, Named>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#timers.size
  }

  set(name: string, delayMs: number, run: () => void): void {
    const dueAt = this.#clock.mono() + delayMs
    const known = this.#timers.get(name)
    // Each turn of a call sets the same deadline again, from a clock of whole milliseconds.
    if (known && Math.abs(known.dueAt - dueAt) < 1) {
      known.run = run
      return
    }
    known?.timer.cancel()
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(name)
      named.run()
    })
    const named: Named = { timer, dueAt, run }
    this.#timers.set(name, named)
  }

  clear(name: string): void {
    this.#timers.get(name)?.timer.cancel()
    this.#timers.delete(name)
  }

  clearAll(): void {
    for (const { timer } of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }
}
