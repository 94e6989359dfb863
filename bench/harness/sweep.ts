// Searches the highest rate that is sustained. Pure: the caller measures.

export interface Step {
  readonly perSecond: number
  readonly isSustained: boolean
}

export interface SweepLimits {
  readonly from: number
  readonly most: number
  /** The search ends when the highest sustained and the lowest failed rate are this close, as a share. */
  readonly precision: number
}

/**
 * Doubles the rate until one is not sustained, then halves the gap. Gives the steps in their order, each rate once.
 * At the first rate that is not sustained although it is the lowest, the search goes down.
 */
export async function sweep(
  { from, most, precision }: SweepLimits,
  isSustained: (perSecond: number) => Promise<boolean>,
): Promise<Step[]> {
  const steps: Step[] = []
  let [good, bad] = [0, Number.POSITIVE_INFINITY]
  for (let rate = Math.min(from, most); rate > 0; ) {
    const sustained = await isSustained(rate)
    steps.push({ perSecond: rate, isSustained: sustained })
    if (sustained) good = Math.max(good, rate)
    else bad = Math.min(bad, rate)
    rate = nextRate({ good, bad, most, precision })
  }
  return steps
}

function nextRate({
  good,
  bad,
  most,
  precision,
}: Omit<SweepLimits, 'from'> & { good: number; bad: number }): number {
  if (bad === Number.POSITIVE_INFINITY) return good >= most ? 0 : Math.min(most, good * 2)
  const next = Math.round((good + bad) / 2)
  const isClose = bad - good <= Math.max(1, good * precision)
  return isClose || next <= good || next >= bad ? 0 : next
}

/** The highest rate that was sustained; 0 where none was. */
export const saturation = (steps: readonly Step[]): number =>
  steps.reduce((most, { perSecond, isSustained }) => (isSustained ? Math.max(most, perSecond) : most), 0)
