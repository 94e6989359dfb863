// Draws lines and bars as SVG. Colours are the variables --c1 to --c8 of the page.
import type { Part, Point } from './figures.ts'

export interface Axis {
  readonly label: string
  readonly from: number
  readonly to: number
  readonly isLog: boolean
  readonly ticks: readonly { readonly at: number; readonly text: string }[]
}

export interface Line {
  readonly name: string
  /** From 1. */
  readonly colour: number
  readonly dashed?: boolean
  readonly dots?: boolean
  readonly points: readonly Point[]
}

export interface Bar {
  readonly name: string
  readonly parts: readonly (Part & { readonly colour: number })[]
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const size = { width: 720, height: 320 } as const
const margin = { left: 64, right: 16, top: 12, bottom: 44 } as const
const inner = {
  width: size.width - margin.left - margin.right,
  height: size.height - margin.top - margin.bottom,
} as const

/** Three digits at most that say something. */
export const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

function share({ from, to, isLog }: Axis, value: number): number {
  const scale = isLog ? Math.log10 : (number: number) => number
  return to === from ? 0 : (scale(value) - scale(from)) / (scale(to) - scale(from))
}

/** Whole decades around the values, with ticks at 1, 2 and 5 where they have room. */
export function logAxis(label: string, values: readonly number[]): Axis {
  const known = values.filter((value) => value > 0)
  const [least, most] = [Math.min(...known, 1), Math.max(...known, 1)]
  const [low, high] = [Math.floor(Math.log10(least)), Math.max(Math.ceil(Math.log10(most)), 1)]
  const steps = high - low > 4 ? [1] : [1, 2, 5]
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
    .flatMap((decade) => steps.map((step) => step * decade))
    .filter((at) => at <= 10 ** high * 1.001)
    .map((at) => ({ at, text: short(at) }))
  return { label, from: 10 ** low, to: 10 ** high, isLog: true, ticks }
}

/** From 0 to a round number beyond the values. */
export function linearAxis(label: string, values: readonly number[]): Axis {
  const most = Math.max(...values, 1)
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((one) => most / one <= 6) ?? power
  const to = Math.ceil(most / step) * step
  const ticks = Array.from({ length: Math.round(to / step) + 1 }, (_, index) => index * step)
  return { label, from: 0, to, isLog: false, ticks: ticks.map((at) => ({ at, text: short(at) })) }
}

/** Percentiles by their nines: 0 is the fastest unit, 1 is p90, 2 is p99. */
export function ninesAxis(label: string, most: number): Axis {
  const named = ['0', '90', '99', '99.9', '99.99', '99.999', '99.9999']
  const ticks = [...named.map((text, at) => ({ at, text })), { at: Math.log10(2), text: '50' }]
  const to = Math.max(1, most)
  return { label, from: 0, to, isLog: false, ticks: ticks.filter(({ at }) => at <= to) }
}

const round = (value: number): string => value.toFixed(1)

export function linePlot(title: string, axes: { x: Axis; y: Axis }, lines: readonly Line[]): string {
  const { x, y } = axes
  const left = (value: number) => margin.left + share(x, value) * inner.width
  const top = (value: number) => margin.top + (1 - share(y, value)) * inner.height
  const bottom = margin.top + inner.height
  const grid = [
    ...x.ticks.map(({ at, text }) => {
      const to = round(left(at))
      return `<path class="grid" d="M${to} ${margin.top}V${bottom}"/><text x="${to}" y="${bottom + 18}" text-anchor="middle">${escapeHtml(text)}</text>`
    }),
    ...y.ticks.map(({ at, text }) => {
      const to = round(top(at))
      return `<path class="grid" d="M${margin.left} ${to}H${size.width - margin.right}"/><text x="${margin.left - 8}" y="${to}" dy="4" text-anchor="end">${escapeHtml(text)}</text>`
    }),
  ]
  const drawn = lines.map(({ name, colour, dashed, dots, points }) => {
    const path = points.map(([a, b], index) => `${index === 0 ? 'M' : 'L'}${round(left(a))} ${round(top(b))}`)
    const circles = dots
      ? points.map(
          ([a, b]) =>
            `<circle cx="${round(left(a))}" cy="${round(top(b))}" r="4" fill="var(--c${colour})"><title>${escapeHtml(`${name}: ${short(a)} ${x.label}, ${short(b)} ${y.label}`)}</title></circle>`,
        )
      : []
    const dash = dashed ? ' stroke-dasharray="5 4"' : ''
    return `<path class="line" stroke="var(--c${colour})"${dash} d="${path.join('')}"><title>${escapeHtml(name)}</title></path>${circles.join('')}`
  })
  const labels = `<text x="${margin.left + inner.width / 2}" y="${size.height - 6}" text-anchor="middle">${escapeHtml(x.label)}</text><text transform="translate(14 ${margin.top + inner.height / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(y.label)}</text>`
  return figure(size.height, title, [...grid, ...drawn, labels])
}

const barHeight = 26
const nameWidth = 150
const valueWidth = 84

/** One bar a row, its parts side by side, its sum at the end. */
export function barPlot(title: string, unit: string, bars: readonly Bar[]): string {
  const sumOf = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0)
  const most = Math.max(...bars.map(sumOf), 1e-9)
  const room = size.width - nameWidth - valueWidth
  const drawn = bars.flatMap((bar, index) => {
    const top = index * (barHeight + 8) + 4
    let left = nameWidth
    const parts = bar.parts.map(({ name, value, colour }) => {
      const width = (value / most) * room
      const told = `${bar.name}, ${name}: ${short(value)} ${unit}`
      const rectangle = `<rect x="${round(left)}" y="${top}" width="${round(width)}" height="${barHeight}" fill="var(--c${colour})"><title>${escapeHtml(told)}</title></rect>`
      left += width
      return rectangle
    })
    const middle = top + barHeight / 2
    return [
      `<text x="${nameWidth - 10}" y="${middle}" dy="4" text-anchor="end">${escapeHtml(bar.name)}</text>`,
      ...parts,
      `<text x="${round(left + 8)}" y="${middle}" dy="4">${escapeHtml(`${short(sumOf(bar))} ${unit}`)}</text>`,
    ]
  })
  return figure(bars.length * (barHeight + 8) + 4, title, drawn)
}

const figure = (height: number, title: string, content: readonly string[]): string =>
  `<svg viewBox="0 0 ${size.width} ${height}" role="img" aria-label="${escapeHtml(title)}">${content.join('')}</svg>`
