// Calculates how fast campaigns may send from one number. Pure: uses no clock and no queue.

/**
 * The share of a number's rate that campaigns never use, so that a single send never waits for a campaign.
 */
export const transactionalShare = 0.2

/** Messages per second that all campaigns of a number may send together. */
export const campaignRate = (numberRate: number): number => numberRate * (1 - transactionalShare)

/**
 * The part of `rate` that a campaign with `pace` gets beside `others` when they take turns. A campaign gets
 * at most an equal share of what the slower campaigns leave. Null: no pace of its own.
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
