// Lines over time, drawn by uPlot on a canvas. A hidden table has the same figures for screen readers.
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { theme } from '../core/theme.ts'

export interface Series {
  readonly title: string
  readonly tone: 'accent' | 'good' | 'bad' | 'warn' | 'info'
  readonly values: readonly (number | null)[]
}

interface Props {
  readonly label: string
  /** Milliseconds, ascending; one for each value of a series. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly height?: number
  /** Shows seconds on the time axis, for a span of a few minutes. */
  readonly hasSeconds?: boolean
}

export function Chart({ label, times, series, height = 180, hasSeconds = false }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const data = [times.map((at) => at / 1000), ...series.map(({ values }) => values)] as uPlot.AlignedData
  const latest = useRef(data)
  latest.current = data
  const shape = series.map(({ title, tone }) => `${title}:${tone}`).join()
  const chosen = theme.value
  // Draw anew only if the titles, the tones, the height or the theme change. New data goes to setData below.
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const draw = () => {
      chart.current?.destroy()
      const { clientWidth: width } = element
      chart.current = new uPlot(
        optionsOf({ element, series, width, height, isInSeconds: hasSeconds }),
        latest.current,
        element,
      )
    }
    draw()
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      system.removeEventListener('change', draw)
      resized.disconnect()
      chart.current?.destroy()
    }
  }, [shape, height, chosen])
  useEffect(() => chart.current?.setData(data))
  return (
    <figure class="chart">
      <div ref={frame} style={{ minHeight: `${height}px` }} aria-hidden="true" />
      <figcaption class="visually-hidden">{label}</figcaption>
      <ChartTable label={label} times={times} series={series} />
    </figure>
  )
}

const ChartTable = ({ label, times, series }: Props) => (
  <table class="visually-hidden">
    <caption>{label}</caption>
    <thead>
      <tr>
        <th scope="col">Time</th>
        {series.map(({ title }) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {times.map((at, index) => (
        <tr key={at}>
          <th scope="row">{new Date(at).toLocaleString('en')}</th>
          {series.map(({ title, values }) => (
            <td key={title}>{values[index] ?? ''}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

function optionsOf({
  element,
  series,
  width,
  height,
  isInSeconds,
}: {
  element: HTMLElement
  series: readonly Series[]
  width: number
  height: number
  isInSeconds: boolean
}): uPlot.Options {
  const clock = isInSeconds ? secondOf : hourOf
  const text = colour(element, '--text-dim')
  const line = colour(element, '--line')
  const axis: uPlot.Axis = {
    stroke: text,
    font: '11px system-ui',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height,
    padding: [8, 8, 0, 0],
    cursor: { y: false },
    axes: [
      {
        ...axis,
        ...(isInSeconds && { incrs: wholeSeconds, space: 80 }),
        size: 28,
        grid: { show: false },
        values: (_chart, splits) => splits.map(clock),
      },
      { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] },
    ],
    scales: { y: { range: (_chart, _low, high) => [0, Math.max(high * 1.1, 4)] } },
    series: [
      { label: 'Time', value: (_chart, at) => (at === null ? '—' : clock(at)) },
      ...series.map(({ title, tone }) => {
        const stroke = colour(element, `--${tone}`)
        return {
          label: title,
          stroke,
          width: 2,
          fill: `color-mix(in srgb, ${stroke} 10%, transparent)`,
          points: { size: 6, fill: stroke, filter: isolated },
        }
      }),
    ],
  }
}

/** A value without neighbours has no line, so it is drawn as a point. */
const isolated: uPlot.Series.Points.Filter = (chart, index) => {
  const values = chart.data[index] ?? []
  return [...values.keys()].filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  )
}

const hours = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const hourOf = (seconds: number): string => hours.format(seconds * 1000)

const wholeSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400]
const moments = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })
const secondOf = (seconds: number): string => moments.format(seconds * 1000)

/** A canvas takes no custom property, and a `light-dark()` value resolves only when an element uses it. */
function colour(element: HTMLElement, property: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${property})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
