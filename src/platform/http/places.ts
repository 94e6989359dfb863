// Limits how many long requests of one kind a process has at once, for each owner and over all.
import { AppError } from '../../contract/errors.ts'

export interface PlaceOptions {
  readonly perOwner: number
  readonly all: number
  /** The messages of the two refusals. */
  readonly words: { readonly perOwner: string; readonly all: string }
}

export interface Place {
  /** Again has no effect. */
  leave(): void
}

/** Enters or throws: RATE_LIMITED for an owner who has all its places, OVERLOADED when none is left. */
export function places<Owner extends string>({ perOwner, all: most, words }: PlaceOptions) {
  const taken = new Map<Owner, number>()
  let all = 0
  const change = (owner: Owner, by: 1 | -1): void => {
    const count = (taken.get(owner) ?? 0) + by
    all += by
    if (count === 0) taken.delete(owner)
    else taken.set(owner, count)
  }
  return (owner: Owner): Place => {
    if ((taken.get(owner) ?? 0) >= perOwner)
      throw new AppError('RATE_LIMITED', words.perOwner, { retryAfterSeconds: 2 })
    if (all >= most) throw new AppError('OVERLOADED', words.all, { retryAfterSeconds: 2 })
    change(owner, 1)
    let isIn = true
    return {
      leave() {
        if (isIn) change(owner, -1)
        isIn = false
      },
    }
  }
}
