// Where everything of a chart is drawn: from the values and the size to pixels. No elements.
import { formatsOf, HOUR } from '../../../web/browser/format.ts'
import { type Span, spread, stacked, type Tick, timeTicks, valueTicks } from './chart-scale.ts'

export interface Series {
  readonly title: string
  readonly tone: 'accent' | 'good' | 'bad' | 'warn' | 'info'
  /** Null: there is no value, which is not the same as 0. */
  readonly values: readonly (number | null)[]
}

export interface ChartShape {
  /** Milliseconds, ascending; one for each value of a series. */
  readonly times: readonly number[]
  /** Of a stack the first is at the bottom. */
  readonly series: readonly Series[]
  /** Bars on one another instead of lines. */
  readonly isStacked?: boolean
  /** A value counts for this long from its time on; 0: at its time. */
  readonly lengthMs?: number
  /** The text of a value; without it a whole number. */
  readonly told?: (value: number) => string
  /** Values never exceed this, such as 1 for shares. */
  readonly most?: number
  /** Where the axis begins; without it at 0. Only for lines. */
  readonly least?: number
  /** Without axis and grid, for a tile. */
  readonly isBare?: boolean
}

interface Size {
  readonly width: number
  readonly height: number
  readonly zoom: Span | undefined
}

/** About the width of a character of 11 pixels. */
const characterPx = 6.2
const labelGapPx = 14
const leastPlotPx = 320

const { count } = formatsOf()

export type Chart = ReturnType<typeof plotOf>

export function plotOf(shape: ChartShape, size: Size) {
  const { isStacked = false, lengthMs = 0, isBare = false } = shape
  const { times, series } = within(shape, size.zoom)
  const told = (value: number | null | undefined): string =>
    value === null || value === undefined ? '—' : (shape.told ?? count)(value)
  const edges = isStacked ? stacked(series.map(({ values }) => values)) : []
  const highest = shape.most ?? highestOf(series, edges)
  const least = shape.least ?? 0
  const steps = valueTicks(highest - least, size.height < 140 ? 2 : 4, shape.told === undefined)
  const ticks = steps.map((step) => Number((least + step).toPrecision(12)))
  const ceiling = ticks.at(-1) ?? 1
  const texts = series.map(({ title, values }) => `${title} ${told(lastOf(values))}`)
  const { labels, ...frame } = isBare ? bareFrame(size) : frameOf({ ticks: ticks.map(told), texts }, size)
  const { left, right, top, bottom } = frame
  const span = spanOf(times, lengthMs)
  const widthPx = Math.max(1, right - left)
  const x = (at: number) => left + ((at - span.from) / (span.to - span.from)) * widthPx
  const y = (value: number) => bottom - ((value - least) / (ceiling - least)) * (bottom - top)
  const axis = isBare ? [] : timeTicks(span, Math.max(2, Math.floor(widthPx / 84)))
  return {
    ...{ ...frame, ...size, labels, x, y, span, told, lengthMs, isStacked, edges, times, series },
    /** The times of everything, also of what the zoom leaves out. */
    all: shape.times,
    hasSeconds: isFine(times),
    valueTicks: isBare ? [] : ticks.map((value) => ({ at: y(value), text: told(value) })),
    timeTicks: placed(axis, x, size.width),
    labelPlaces: () => labelPlaces(series, edges, { y, low: top + 4, high: bottom - 2 }),
    middleOf: (index: number) => x((times[index] ?? 0) + lengthMs / 2),
    timeAt: (px: number) => span.from + ((px - left) / widthPx) * (span.to - span.from),
    columnOf: (index: number) => columnOf(times[index] ?? 0, { x, lengthMs }),
  }
}

interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly labels?: Labels | undefined
}

interface Labels {
  readonly texts: readonly string[]
  /** Beside the ends of the series; otherwise above the plot, in these rows. */
  readonly isBeside: boolean
  readonly rows: readonly (readonly number[])[]
}

const bareFrame = ({ width, height }: Size): Frame => ({
  left: 2,
  right: width - 3,
  top: 4,
  bottom: height - 4,
})

/** The margins make room for the longest text, so that none is clipped. */
function frameOf(
  { ticks, texts }: { readonly ticks: readonly string[]; readonly texts: readonly string[] },
  { width, height }: Size,
): Frame {
  const left = widest(ticks) + 10
  const besidePx = widest(texts) + 26
  const bottom = height - 24
  if (texts.length < 2) return { left, right: width - 10, top: 10, bottom }
  const isBeside = width - left - besidePx >= leastPlotPx
  const labels = { texts, isBeside, rows: rowsOf(texts, width - left) }
  return isBeside
    ? { left, right: width - besidePx, top: 10, bottom, labels }
    : { left, right: width - 10, top: 12 + labels.rows.length * 16, bottom, labels }
}

const widest = (texts: readonly string[]): number =>
  Math.ceil(Math.max(0, ...texts.map(({ length }) => length)) * characterPx)

/** Values of seconds are told with their seconds. */
const isFine = (times: readonly number[]): boolean =>
  times.length > 1 &&
  (times.at(-1) ?? 0) - (times[0] ?? 0) < 2 * HOUR &&
  times.some((at) => at % 60_000 !== 0)

function within({ times, series }: ChartShape, zoom: Span | undefined) {
  if (!zoom) return { times, series }
  const first = times.findIndex((at) => at >= zoom.from)
  const after = times.findIndex((at) => at > zoom.to)
  const [from, to] = [Math.max(0, first), after < 0 ? times.length : after]
  return {
    times: times.slice(from, to),
    series: series.map((one) => ({ ...one, values: one.values.slice(from, to) })),
  }
}

function highestOf(
  series: readonly Series[],
  edges: readonly (readonly (readonly [number, number])[])[],
): number {
  const values =
    edges.length > 0 ? (edges.at(-1) ?? []).map(([, high]) => high) : series.flatMap((one) => one.values)
  return values.reduce<number>((high, value) => Math.max(high, value ?? 0), 0)
}

/** Never empty: a single value has room too. */
function spanOf(times: readonly number[], lengthMs: number): Span {
  const from = times[0] ?? 0
  const to = (times.at(-1) ?? from) + lengthMs
  return to > from ? { from, to } : { from: from - 1_000, to: to + 1_000 }
}

const lastOf = (values: readonly (number | null)[]): number | null | undefined =>
  values.findLast((value) => value !== null)

interface Placed extends Tick {
  readonly x: number
}

/** Texts at the edges are moved inside; one that would touch its neighbour is left out. */
function placed(ticks: readonly Tick[], x: (at: number) => number, width: number): Placed[] {
  let free = 0
  return ticks.flatMap((tick): Placed[] => {
    const half = (tick.text.length * characterPx) / 2
    const middle = Math.max(half, Math.min(x(tick.at), width - half))
    if (middle - half < free) return []
    free = middle + half + 8
    return [{ ...tick, x: middle }]
  })
}

/** The heights of the labels beside the last values, apart from one another. */
function labelPlaces(
  series: readonly Series[],
  edges: readonly (readonly (readonly [number, number])[])[],
  { y, low, high }: { y(value: number): number; readonly low: number; readonly high: number },
): number[] {
  const ends = series.map(({ values }, index) => {
    const [from, to] = edges[index]?.at(-1) ?? [0, 0]
    return edges.length > 0 ? y((from + to) / 2) : y(lastOf(values) ?? 0)
  })
  return spread(ends, labelGapPx, { low, high })
}

/** The labels above the plot where there is no room beside it, in as many lines as they need. */
export function rowsOf(labels: readonly string[], width: number): number[][] {
  const rows: number[][] = [[]]
  let used = 0
  for (const [index, label] of labels.entries()) {
    const px = label.length * characterPx + 30
    if (used > 0 && used + px > width) {
      rows.push([])
      used = 0
    }
    rows.at(-1)?.push(index)
    used += px
  }
  return rows
}

export const labelWidth = (label: string): number => label.length * characterPx + 30

function columnOf(
  at: number,
  { x, lengthMs }: { x(at: number): number; readonly lengthMs: number },
): { x: number; width: number } {
  return lengthMs > 0 ? { x: x(at), width: x(at + lengthMs) - x(at) } : { x: x(at) - 3, width: 6 }
}
