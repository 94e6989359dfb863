/** Holds every delayed action of the simulator, so that a reset or a close can cancel all of them. */
export class Timers {
  readonly #pending = new Set<NodeJS.Timeout>()

  later(ms: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#pending.delete(timer)
      action()
    }, ms)
    this.#pending.add(timer)
    return timer
  }

  cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer)
    this.#pending.delete(timer)
  }

  clear(): void {
    for (const timer of this.#pending) clearTimeout(timer)
    this.#pending.clear()
  }
}
