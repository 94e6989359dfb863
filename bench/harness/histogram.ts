// Histograms of microseconds: recorded, merged, encoded for the result file.
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js'

export type { Histogram }

/** An HDR histogram, compressed, in base64 (the format V2 of HdrHistogram, which its tools read). */
export type EncodedHistogram = string

/** Ten minutes, beyond which nothing is waited for. */
const highestMicros = 600e6

const emptyHistogram = (): Histogram =>
  build({ highestTrackableValue: highestMicros, numberOfSignificantValueDigits: 3 })

export function histogramOf(micros: readonly number[]): Histogram {
  const histogram = emptyHistogram()
  for (const value of micros) histogram.recordValue(Math.min(highestMicros, Math.max(0, Math.round(value))))
  return histogram
}

export const encode = (histogram: Histogram): EncodedHistogram => encodeIntoCompressedBase64(histogram)

export const decode = (encoded: EncodedHistogram): Histogram => decodeFromCompressedBase64(encoded)

export function merged(encoded: readonly EncodedHistogram[]): Histogram {
  const all = emptyHistogram()
  for (const one of encoded) all.add(decode(one))
  return all
}

/** Milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  readonly mean: number
}

/** Every figure is NaN where nothing was recorded. */
export function spreadOf(histogram: Histogram): Spread {
  const isEmpty = histogram.totalCount === 0
  const ms = (micros: number) => (isEmpty ? Number.NaN : micros / 1e3)
  const at = (percentile: number) => ms(histogram.getValueAtPercentile(percentile))
  const [max, mean] = [ms(histogram.maxValue), ms(histogram.mean)]
  return { p50: at(50), p90: at(90), p95: at(95), p99: at(99), p999: at(99.9), max, mean }
}

/** So many units have to lie beyond a percentile of the tail: less is the luck of a few. */
const fewestBeyond = 10
const isFirm = ({ totalCount }: Histogram, oneIn: number): boolean => totalCount >= fewestBeyond * oneIn

/** What can be shown: NaN where too few units lie beyond. p99 needs 1,000 units, p99.9 10,000. The median is kept. */
export function firmSpread(histogram: Histogram): Spread {
  const spread = spreadOf(histogram)
  const firm = (value: number, oneIn: number) => (isFirm(histogram, oneIn) ? value : Number.NaN)
  const { p90, p95, p99, p999 } = spread
  const tail = { p99: firm(p99, 100), p999: firm(p999, 1_000) }
  return { ...spread, p90: firm(p90, 10), p95: firm(p95, 20), ...tail }
}
