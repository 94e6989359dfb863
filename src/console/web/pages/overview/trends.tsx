// How deliveries went over the last day: what share arrived, and how long receivers took.
import { useEffect, useState } from 'preact/hooks'
import type { AttemptQuarter } from '../../../../contract/records/overview.ts'
import { duration, now, percent, plural } from '../../core/format.ts'
import { sayError } from '../../core/toasts.ts'
import { dayOf, floorOf, QUARTER_MS } from './quarters.ts'

const loadChart = () => import('../../parts/chart.tsx')
const height = 132

export function Trends({ attempts }: { readonly attempts: readonly AttemptQuarter[] }) {
  const [drawing, setDrawing] = useState<Awaited<ReturnType<typeof loadChart>>>()
  useEffect(() => {
    loadChart().then(setDrawing, sayError)
  }, [])
  const day = dayOf(attempts, Math.max(now.value, Date.now()))
  if (day.attempts === 0) return null
  const share = 1 - day.failures / day.attempts
  const chart = { times: day.times, lengthMs: QUARTER_MS, height }
  return (
    <section class="trends" aria-label="Last 24 hours">
      <div class="trend">
        <h2>Delivery success</h2>
        <strong>{percent(share)}</strong>
        <small>
          of {plural(day.attempts, 'attempt')} in the last 24 hours
          {day.failures > 0 && `; ${plural(day.failures, 'attempt')} failed`}
        </small>
        <div class="trend-chart" style={{ minHeight: `${height}px` }}>
          {drawing && (
            <drawing.Chart
              {...chart}
              label="Share of attempts that succeeded, by quarter of an hour"
              told={percent}
              least={floorOf(day.shares)}
              most={1}
              series={[{ title: 'Succeeded', tone: 'good', values: day.shares }]}
            />
          )}
        </div>
      </div>
      <div class="trend">
        <h2>Response time</h2>
        <strong>{day.p95Ms === null ? '—' : duration(day.p95Ms)}</strong>
        <small>p95, latest quarter of an hour with attempts</small>
        <div class="trend-chart" style={{ minHeight: `${height}px` }}>
          {drawing && (
            <drawing.Chart
              {...chart}
              label="Response time that 95% of attempts did not exceed, by quarter of an hour"
              told={duration}
              series={[{ title: 'p95', tone: 'info', values: day.p95s }]}
            />
          )}
        </div>
      </div>
    </section>
  )
}
