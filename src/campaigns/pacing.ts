// How fast campaigns may send from one number. Knows no clock and no queue.

/** Of a number's rate, what no campaign takes, so that a single send never waits for one. */
export const transactionalShare = 0.2

/** Messages a second that all campaigns of a number may send together. */
export const campaignRate = (numberRate: number): number => numberRate * (1 - transactionalShare)

/**
 * What `pace` gets of `rate` beside `others`, in turns: nobody gets more than an equal share of what those leave who are
 * content with less. Null: as fast as may be.
 */
export function fairRate(rate: number, pace: number | null, others: readonly (number | null)[]): number {
  const paces = others.map((other) => other ?? Number.POSITIVE_INFINITY).sort((one, other) => one - other)
  const own = pace ?? Number.POSITIVE_INFINITY
  let left = rate
  let sharing = paces.length + 1
  for (const other of paces) {
    if (other >= left / sharing) break
    left -= other
    sharing -= 1
  }
  return Math.min(own, left / sharing)
}
