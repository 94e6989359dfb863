// Lines or stacked bars over time. The plot is one control: the pointer or the arrow keys read its values, and dragging
// or + and - zoom. A table, hidden from view, has the same figures.
import { useEffect, useRef, useState } from 'preact/hooks'
import { count } from '../core/format.ts'
import { Button } from './button.tsx'
import { Axes, DirectLabels, Marks, Patterns, Swatch } from './chart-marks.tsx'
import { type ChartShape, type Chart as Plot, plotOf, type Series } from './chart-plot.ts'
import { nearest, type Span, timeText, zoomBy, zoomOf } from './chart-scale.ts'

export type { Series } from './chart-plot.ts'

interface Props extends ChartShape {
  /** What the chart shows, for screen readers and as the caption of its table. */
  readonly label: string
  readonly height?: number
}

const leastDragPx = 6

export function Chart({ label, height = 200, ...shape }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const [zoom, setZoom] = useState<Span>()
  const [index, setIndex] = useState<number>()
  const plot = plotOf(shape, { width, height, zoom })
  const read = index === undefined || plot.times[index] === undefined ? undefined : index
  return (
    <figure class="chart">
      <Control
        label={label}
        plot={plot}
        index={read}
        zoom={zoom}
        frame={frame}
        onRead={setIndex}
        onZoom={setZoom}
      />
      {read !== undefined && <HoverCard plot={plot} index={read} />}
      {zoom && (
        <div class="chart-zoomed">
          <Button look="plain" icon="refresh" onClick={() => setZoom(undefined)}>
            Reset zoom
          </Button>
        </div>
      )}
      <figcaption class="visually-hidden">
        {label}. Arrow keys read the values; drag, or press plus and minus, to zoom.
      </figcaption>
      <ChartTable label={label} plot={plot} />
    </figure>
  )
}

function useWidth(frame: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setWidth(Math.floor(element.clientWidth))
    measure()
    const resized = new ResizeObserver(measure)
    resized.observe(element)
    return () => resized.disconnect()
  }, [])
  return width
}

interface ControlProps {
  readonly label: string
  readonly plot: Plot
  readonly index: number | undefined
  readonly zoom: Span | undefined
  readonly frame: { current: HTMLDivElement | null }
  onRead(index: number | undefined): void
  onZoom(zoom: Span | undefined): void
}

function Control({ label, plot, index, zoom, frame, onRead, onZoom }: ControlProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>()
  const placeOf = (event: PointerEvent) => event.clientX - (frame.current?.getBoundingClientRect().left ?? 0)
  const last = plot.times.length - 1
  const onKey = keysOf({ plot, index, zoom, onRead, onZoom })
  const up = (event: PointerEvent) => {
    if (drag && Math.abs(placeOf(event) - drag.from) >= leastDragPx) {
      onZoom(zoomOf(plot.times, plot.timeAt(drag.from), plot.timeAt(placeOf(event))) ?? zoom)
      onRead(undefined)
    }
    setDrag(undefined)
  }
  return (
    <div
      ref={frame}
      class="chart-plot"
      style={{ height: `${plot.height}px` }}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={index ?? Math.max(0, last)}
      aria-valuetext={last < 0 ? 'No values' : spoken(plot, index ?? last)}
      onKeyDown={onKey}
      onBlur={() => onRead(undefined)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        setDrag({ from: placeOf(event), to: placeOf(event) })
        if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ ...drag, to: placeOf(event) })
        onRead(indexAt(plot, placeOf(event)))
      }}
      onPointerUp={up}
      onPointerCancel={() => setDrag(undefined)}
      onPointerLeave={() => onRead(undefined)}
      onDblClick={() => onZoom(undefined)}
    >
      {last < 0 && <p class="chart-none">No values yet</p>}
      {plot.width > 0 && last >= 0 && <Drawing plot={plot} index={index} drag={drag} />}
    </div>
  )
}

function Drawing({
  plot,
  index,
  drag,
}: Pick<ControlProps, 'plot' | 'index'> & {
  readonly drag: { readonly from: number; readonly to: number } | undefined
}) {
  const { width, height, top, bottom } = plot
  const [left, right] = drag ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)] : [0, 0]
  return (
    <svg width={width} height={height} aria-hidden="true">
      <Patterns plot={plot} />
      <Axes plot={plot} />
      {index !== undefined && plot.isStacked && (
        <rect class="chart-column" {...plot.columnOf(index)} y={top} height={bottom - top} />
      )}
      <Marks plot={plot} index={index} />
      <DirectLabels plot={plot} />
      {drag && right - left >= leastDragPx && (
        <rect class="chart-drag" x={left} y={top} width={right - left} height={bottom - top} />
      )}
    </svg>
  )
}

const indexAt = (plot: Plot, x: number): number | undefined => {
  const at = plot.timeAt(x) - plot.lengthMs / 2
  const found = nearest(plot.times, at)
  return found < 0 ? undefined : found
}

type Keys = Pick<ControlProps, 'plot' | 'index' | 'zoom' | 'onRead' | 'onZoom'>

function keysOf({ plot, index, zoom, onRead, onZoom }: Keys) {
  const last = plot.times.length - 1
  const at = index ?? last + 1
  const zoomed = (factor: number) => {
    const shown = zoom ?? { from: plot.all[0] ?? 0, to: plot.all.at(-1) ?? 0 }
    onZoom(zoomBy(plot.all, shown, plot.times[index ?? last] ?? shown.to, factor))
    onRead(undefined)
  }
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => onRead(Math.max(0, at - 1)),
    ArrowRight: () => onRead(Math.min(last, at === last + 1 ? last : at + 1)),
    Home: () => onRead(0),
    End: () => onRead(last),
    '+': () => zoomed(0.5),
    '=': () => zoomed(0.5),
    '-': () => zoomed(2),
    Escape: () => onRead(undefined),
  }
  return (event: KeyboardEvent) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key]
    if (!action || last < 0) return
    event.preventDefault()
    action()
  }
}

const timeOf = (plot: Plot, index: number): string =>
  timeText(plot.times[index] ?? 0, { lengthMs: plot.lengthMs, hasSeconds: plot.hasSeconds })

const spoken = (plot: Plot, index: number): string =>
  `${timeOf(plot, index)}: ${plot.series.map(({ title, values }) => `${title} ${plot.told(values[index])}`).join(', ')}`

/** Beside the column, on the side that has room. Screen readers have the text of the control. */
function HoverCard({ plot, index }: { readonly plot: Plot; readonly index: number }) {
  const x = plot.middleOf(index)
  const side = x > plot.width / 2 ? { right: `${plot.width - x + 14}px` } : { left: `${x + 14}px` }
  const rows = plot.isStacked ? plot.series.toReversed() : plot.series
  const total = plot.series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
  return (
    <div class="chart-card" style={{ ...side, top: `${plot.top}px` }} aria-hidden="true">
      <strong>{timeOf(plot, index)}</strong>
      <ul>
        {rows.map((series) => (
          <li key={series.title}>
            <Swatch plot={plot} series={series} />
            <span>{series.title}</span>
            <b>{plot.told(series.values[index])}</b>
          </li>
        ))}
        {plot.isStacked && rows.length > 1 && (
          <li class="total">
            <span>Total</span>
            <b>{count(total)}</b>
          </li>
        )}
      </ul>
    </div>
  )
}

/** In a box of its own: a table takes no height from its style, and would make the page longer. */
const ChartTable = ({ label, plot }: { readonly label: string; readonly plot: Plot }) => (
  <div class="visually-hidden">
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {plot.series.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {plot.times.map((at, index) => (
          <tr key={at}>
            <th scope="row">{timeOf(plot, index)}</th>
            {plot.series.map(({ title, values }: Series) => (
              <td key={title}>{plot.told(values[index])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
