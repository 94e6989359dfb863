// The named timers of one actor. Setting a name again replaces its timer.
import type { Clock, Timer } from '../../shared/clock.ts'

export class Timers {
  readonly #clock: Clock
  readonly #timers = new Map<string, Timer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#timers.size
  }

  set(name: string, delayMs: number, run: () => void): void {
    this.clear(name)
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(name)
      run()
    })
    this.#timers.set(name, timer)
  }

  clear(name: string): void {
    this.#timers.get(name)?.cancel()
    this.#timers.delete(name)
  }

  clearAll(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }
}
