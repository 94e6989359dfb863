// The ratio of two measurements with its confidence interval. Logarithms are compared: noise multiplies.
import { criticalT } from './student.ts'

export interface Ratio {
  /** B divided by A. */
  readonly ratio: number
  readonly low: number
  readonly high: number
}

export type Verdict = 'dearer' | 'cheaper' | 'same' | 'unclear'

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function variance(values: readonly number[]): number {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}

function around(log: number, half: number): Ratio {
  return { ratio: Math.exp(log), low: Math.exp(log - half), high: Math.exp(log + half) }
}

/** Of pairs that were measured one after the other. `chance`: that the interval misses the truth. */
export function pairedRatio(
  pairs: readonly (readonly [a: number, b: number])[],
  chance: number,
): Ratio | null {
  if (pairs.length < 2) return null
  const logs = pairs.map(([a, b]) => Math.log(b / a))
  const half = criticalT(chance, logs.length - 1) * Math.sqrt(variance(logs) / logs.length)
  return around(mean(logs), half)
}

/** Of measurements that have no partner: Welch's interval. */
export function ratioOf(a: readonly number[], b: readonly number[], chance: number): Ratio | null {
  if (a.length < 2 || b.length < 2) return null
  const [logsA, logsB] = [a.map(Math.log), b.map(Math.log)]
  const [partA, partB] = [variance(logsA) / a.length, variance(logsB) / b.length]
  const both = partA + partB
  const log = mean(logsB) - mean(logsA)
  if (both === 0) return around(log, 0)
  const df = both ** 2 / (partA ** 2 / (a.length - 1) + partB ** 2 / (b.length - 1))
  return around(log, criticalT(chance, df) * Math.sqrt(both))
}

/** Less than this is nobody's concern: the layout of memory alone makes a per cent. */
const margin = 1.02
/** As narrow as this, an interval around 1 is an answer. */
const narrow = 1.1

/** The least rise, as a share, at which the interval that was found would have been `dearer`. */
export const leastFound = ({ ratio, high }: Ratio): number => margin * (high / ratio) - 1

/** A verdict needs the whole interval: beyond the margin on one side, or close to 1 on both. */
export function verdictOf({ low, high }: Ratio): Verdict {
  if (low > margin) return 'dearer'
  if (high < 1 / margin) return 'cheaper'
  return low > 1 / narrow && high < narrow ? 'same' : 'unclear'
}
