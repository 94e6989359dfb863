// What is drawn of a chart. Series differ by their pattern too, not by colour alone.
import { type Chart, labelWidth, type Series } from './chart-plot.ts'

interface Props {
  readonly plot: Chart
}

const dashes = [undefined, '6 3', '2 3', '9 3 2 3', '1 5']
const hatches = [undefined, 'M0 6 6 0', 'M0 3h6', 'M3 0v6', 'M0 0 6 6']
const gapPx = 1

const placeOf = ({ series }: Chart, one: Series): number =>
  series.findIndex(({ title }) => title === one.title)

/** Ids are of the whole page: the same place has the same pattern in every chart. */
const patternOf = (place: number, tone: Series['tone']): string => `chart-${place % hatches.length}-${tone}`

export const Patterns = ({ plot }: Props) =>
  plot.isStacked ? (
    <defs>
      {plot.series.map(({ title, tone }, place) => (
        <Pattern key={title} place={place} tone={tone} />
      ))}
    </defs>
  ) : null

const Pattern = ({ place, tone }: { readonly place: number; readonly tone: Series['tone'] }) => (
  <pattern
    id={patternOf(place, tone)}
    width="6"
    height="6"
    patternUnits="userSpaceOnUse"
    class={`tone-${tone}`}
  >
    <rect width="6" height="6" class="chart-fill" />
    {hatches[place % hatches.length] && <path d={hatches[place % hatches.length]} class="chart-hatch" />}
  </pattern>
)

export const Axes = ({ plot }: Props) => (
  <g class="chart-axes">
    {plot.valueTicks.map(({ at, text }) => (
      <g key={text}>
        <line x1={plot.left} x2={plot.right} y1={at} y2={at} />
        <text x={plot.left - 8} y={at} text-anchor="end" dominant-baseline="central">
          {text}
        </text>
      </g>
    ))}
    {plot.timeTicks.map(({ at, text, x }) => (
      <text key={at} x={x} y={plot.bottom + 16} text-anchor="middle">
        {text}
      </text>
    ))}
  </g>
)

export const Marks = ({ plot, index }: Props & { readonly index: number | undefined }) => (
  <g>
    {plot.series.map((series, place) =>
      plot.isStacked ? (
        <Bars key={series.title} plot={plot} series={series} place={place} />
      ) : (
        <Line key={series.title} plot={plot} series={series} place={place} />
      ),
    )}
    {index !== undefined && !plot.isStacked && <Cursor plot={plot} index={index} />}
  </g>
)

/** One path a series: a chart of many bars stays a few elements. */
function Bars({ plot, series, place }: Props & { readonly series: Series; readonly place: number }) {
  const d = (plot.edges[place] ?? []).map(([low, high], index) => {
    if (high === low) return ''
    const { x, width } = plot.columnOf(index)
    const gap = width > 4 ? gapPx : 0
    const [top, bottom] = [plot.y(high), plot.y(low)]
    return `M${x + gap / 2} ${bottom}V${top}h${Math.max(0.5, width - gap)}V${bottom}Z`
  })
  return <path class="chart-bars" d={d.join('')} fill={`url(#${patternOf(place, series.tone)})`} />
}

function Line({ plot, series, place }: Props & { readonly series: Series; readonly place: number }) {
  const { values } = series
  const point = (index: number) =>
    `${plot.middleOf(index).toFixed(1)} ${plot.y(values[index] ?? 0).toFixed(1)}`
  const d = values.map((value, index) =>
    value === null ? '' : `${values[index - 1] == null ? 'M' : 'L'}${point(index)}`,
  )
  // A value without neighbours makes no line.
  const alone = [...values.keys()].filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  )
  return (
    <g class={`tone-${series.tone}`}>
      <path class="chart-line" d={d.join('')} stroke-dasharray={dashes[place % dashes.length]} />
      {alone.map((index) => (
        <circle
          key={index}
          class="chart-fill"
          cx={plot.middleOf(index)}
          cy={plot.y(values[index] ?? 0)}
          r={3}
        />
      ))}
    </g>
  )
}

const Cursor = ({ plot, index }: { readonly plot: Chart; readonly index: number }) => (
  <g>
    <line
      class="chart-cursor"
      x1={plot.middleOf(index)}
      x2={plot.middleOf(index)}
      y1={plot.top}
      y2={plot.bottom}
    />
    {plot.series.map(({ title, tone, values }) =>
      values[index] == null ? null : (
        <g key={title} class={`tone-${tone}`}>
          <circle class="chart-dot" cx={plot.middleOf(index)} cy={plot.y(values[index] ?? 0)} r={4} />
        </g>
      ),
    )}
  </g>
)

/** The name and the latest value of each series at its end; above the plot where there is no room. */
export function DirectLabels({ plot }: Props) {
  const { labels } = plot
  if (!labels) return null
  if (labels.isBeside) {
    const places = plot.labelPlaces()
    return (
      <g class="chart-labels">
        {plot.series.map((series, index) => (
          <Label
            key={series.title}
            plot={plot}
            series={series}
            x={plot.right + 6}
            y={places[index] ?? 0}
            text={labels.texts[index] ?? ''}
          />
        ))}
      </g>
    )
  }
  return (
    <g class="chart-labels">
      {labels.rows.map((row, line) => {
        let x = plot.left
        return row.map((index) => {
          const series = plot.series[index]
          const text = labels.texts[index] ?? ''
          const at = x
          x += labelWidth(text)
          return (
            series && (
              <Label key={series.title} plot={plot} series={series} x={at} y={8 + line * 16} text={text} />
            )
          )
        })
      })}
    </g>
  )
}

const Label = ({
  plot,
  series,
  x,
  y,
  text,
}: Props & { readonly series: Series; readonly x: number; readonly y: number; readonly text: string }) => (
  <g transform={`translate(${x} ${y})`}>
    <Sign plot={plot} series={series} />
    <text x={18} dominant-baseline="central">
      {text}
    </text>
  </g>
)

/** A piece of the series: of its bar or of its line. */
function Sign({ plot, series: { tone, title, values } }: Props & { readonly series: Series }) {
  const place = placeOf(plot, { tone, title, values })
  return plot.isStacked ? (
    <rect y={-5} width={12} height={10} rx={2} fill={`url(#${patternOf(place, tone)})`} />
  ) : (
    <g class={`tone-${tone}`}>
      <path class="chart-line" d="M0 0h14" stroke-dasharray={dashes[place % dashes.length]} />
    </g>
  )
}

export const Swatch = ({ plot, series }: Props & { readonly series: Series }) => (
  <svg width="14" height="12" viewBox="0 -6 14 12" aria-hidden="true">
    <Sign plot={plot} series={series} />
  </svg>
)
