// Reproducible random numbers: the same seed gives the same numbers on every machine.
import { createHash } from 'node:crypto'

export interface Dice {
  /** A whole number from 0 to `sides` - 1. */
  below(sides: number): number
  /** True with a probability of 1 / `times`. */
  oneIn(times: number): boolean
  of<Item>(items: readonly Item[]): Item
}

/** mulberry32, seeded with a digest of the text. */
export function dice(seed: string): Dice {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  const below = (sides: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
  return {
    below,
    oneIn: (times) => below(times) === 0,
    of(items) {
      if (items.length === 0) throw new Error('there is nothing to choose from')
      return items[below(items.length)] as (typeof items)[number]
    },
  }
}
