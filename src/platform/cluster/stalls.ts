// Notices when this process stood still: stopped by a signal, a frozen virtual machine, or a blocked event loop.
import type { Clock } from '../../shared/clock.ts'

export interface Stalls {
  /** Monotonic clock: the end of the last stall, or minus infinity. */
  resumedAt(): number
  /** True for a moment after even a short halt: this process cannot tell then whether others are late. */
  isSluggish(): boolean
  stop(): void
}

const tickMs = 100
/** Well below the second after which others take over the actors of a process that says nothing. */
const stallMs = 500
const haltMs = 250
const sluggishMs = 1_000

export function watchStalls(clock: Clock): Stalls {
  let seenAt = clock.mono()
  let resumedAt = Number.NEGATIVE_INFINITY
  let haltedAt = Number.NEGATIVE_INFINITY
  // Also called by who asks: after a stall the asker may run before the timer does.
  const look = () => {
    const now = clock.mono()
    const gap = now - seenAt
    seenAt = now
    if (gap > stallMs) resumedAt = now
    if (gap > haltMs) haltedAt = now
  }
  const tick = () => {
    look()
    timer = clock.after(tickMs, tick)
  }
  let timer = clock.after(tickMs, tick)
  return {
    resumedAt() {
      look()
      return resumedAt
    },
    isSluggish() {
      look()
      return clock.mono() - haltedAt < sluggishMs
    },
    stop: () => timer.cancel(),
  }
}
