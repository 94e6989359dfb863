// Holds effects outside Postgres until this incarnation may act: silence over and epoch confirmed.
import type { Clock } from '../../shared/clock.ts'
import { pause } from '../../shared/pause.ts'
import type { Confirm, Standing } from './confirmer.ts'
import type { Guard } from './guard.ts'

export interface GateOptions<Effect> {
  readonly id: string
  readonly epoch: number
  readonly clock: Clock
  readonly guard: Guard
  readonly confirm: Confirm
  /** Aborted when the incarnation ends. Held effects are then discarded. */
  readonly signal: () => AbortSignal
  readonly run: (effect: Effect) => void
  /** No effect is held any more. */
  readonly onClear: () => void
  /** Postgres has another epoch, or no such row. */
  readonly onForeign: (reason: 'foreign' | 'gone') => void
}

const confirmAgainMs = 250

export class Gate<Effect> {
  readonly #options: GateOptions<Effect>
  /** Oldest first. */
  readonly #held: Effect[] = []
  #isWaiting = false
  #confirmation: Promise<boolean> | undefined

  constructor(options: GateOptions<Effect>) {
    this.#options = options
  }

  get held(): number {
    return this.#held.length
  }

  /** Runs `effect` now, or when the guard allows it. Held effects keep their order. */
  pass(effect: Effect): void {
    if (this.#held.length === 0 && this.#options.guard.mayAct()) return this.#options.run(effect)
    this.#held.push(effect)
    void this.#wait()
  }

  /** Asks Postgres for the epoch. */
  #confirm(): Promise<boolean> {
    this.#confirmation ??= this.#ask()
    return this.#confirmation
  }

  /** False: nothing is known, or the answer came too late to count. */
  heed(standing: Standing): boolean {
    const { guard, onForeign } = this.#options
    if (standing.type === 'unknown') return false
    if (standing.type === 'confirmed') guard.confirmed(standing.asked)
    else onForeign(standing.type)
    return guard.isFresh()
  }

  async #ask(): Promise<boolean> {
    const standing = await this.#options.confirm(this.#options)
    this.#confirmation = undefined
    return this.heed(standing)
  }

  async #wait(): Promise<void> {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const { clock, guard, onClear } = this.#options
    const signal = this.#options.signal()
    while (!signal.aborted && this.#held.length > 0) {
      if (guard.quietMs() > 0) await pause(clock, guard.quietMs(), signal)
      else if (guard.isFresh()) this.#open()
      else if (!(await this.#confirm())) await pause(clock, confirmAgainMs, signal)
    }
    this.#isWaiting = false
    if (!signal.aborted) onClear()
  }

  // Asks the guard before each effect, because one effect may take so long that the confirmation expires.
  #open(): void {
    const { guard, run } = this.#options
    const signal = this.#options.signal()
    while (!signal.aborted && guard.mayAct()) {
      const effect = this.#held.shift()
      if (effect === undefined) return
      run(effect)
    }
  }
}
