// Renders UI parts side by side, as no page shows them, for the test of the parts.
import { render } from 'preact'
import { liveState, startLive, useTopic } from '../../../src/console/web/core/live.ts'
import { useList, useResource } from '../../../src/console/web/core/load.ts'
import { Badge } from '../../../src/console/web/parts/badge.tsx'
import { Chart } from '../../../src/console/web/parts/chart.tsx'
import { StaleNotice } from '../../../src/console/web/parts/stale-notice.tsx'
import { Timeline } from '../../../src/console/web/parts/timeline.tsx'
import { Things } from './things.tsx'

interface Overview {
  readonly calls: { readonly live: number }
  readonly messages: { readonly perMinute: readonly number[] }
}

interface Calls {
  readonly items: readonly { readonly id: string; readonly status: string }[]
}

const MINUTE_MS = 60_000
const from = Date.UTC(2026, 10, 20, 14)

function LiveFigures() {
  const overview = useTopic<Overview>('overview')
  const calls = useTopic<Calls>('calls')
  const perMinute = overview?.messages.perMinute ?? []
  return (
    <>
      <p>
        Live calls: <output aria-label="Live calls">{overview?.calls.live ?? '?'}</output>
      </p>
      <ul aria-label="Calls">
        {calls?.items.map(({ id, status }) => (
          <li key={id}>
            {id} <Badge tone="info">{status}</Badge>
          </li>
        ))}
      </ul>
      <Chart
        label="Messages a minute"
        times={perMinute.map((_, index) => from + index * MINUTE_MS)}
        series={[{ title: 'Messages', tone: 'accent', values: perMinute }]}
      />
    </>
  )
}

const HOUR_MS = 60 * MINUTE_MS
const hours = Array.from({ length: 24 }, (_, hour) => from - (23 - hour) * HOUR_MS)

/** Deterministic, in the thousands, with an hour without values. */
const Charts = () => (
  <>
    <h2>Attempts an hour</h2>
    <Chart
      label="Attempts an hour"
      isStacked
      lengthMs={HOUR_MS}
      times={hours}
      series={[
        { title: 'Delivered', tone: 'good', values: hours.map((_, hour) => 1_200 + hour * 40) },
        { title: 'Retried', tone: 'warn', values: hours.map((_, hour) => (hour % 5) * 60) },
        { title: 'Failed', tone: 'bad', values: hours.map((_, hour) => (hour === 20 ? 700 : 12)) },
      ]}
    />
    <h2>Response time</h2>
    <Chart
      label="Response time"
      lengthMs={HOUR_MS}
      times={hours}
      told={(ms) => `${ms} ms`}
      series={[
        { title: 'p50', tone: 'info', values: hours.map((_, hour) => (hour === 4 ? null : 40 + hour)) },
        { title: 'p95', tone: 'warn', values: hours.map((_, hour) => (hour === 4 ? null : 44 + hour * 2)) },
      ]}
    />
  </>
)

const Moments = () => (
  <Timeline
    moments={[
      { at: '2026-11-20T14:21:03.127Z', title: 'Ringing', tone: 'info' },
      {
        at: '2026-11-20T14:21:03.298Z',
        title: 'Forward failed',
        tone: 'bad',
        body: <p>The receiver answered 500.</p>,
      },
      { at: '2026-11-20T14:21:33.001Z', title: 'Missed' },
    ]}
  />
)

/** A list that is read again on a click. */
function Polled() {
  const list = useList<{ readonly id: string }>('/things')
  return (
    <>
      <StaleNotice />
      <button type="button" onClick={() => void list.refresh()}>
        Refresh
      </button>
      <button type="button" onClick={list.loadMore}>
        Load more
      </button>
      <Things list={list} />
    </>
  )
}

/** One thing that is read again, or changed, on a click. */
function Changed() {
  const thing = useResource<{ readonly text?: string }>('/thing')
  return (
    <>
      <button type="button" onClick={thing.reload}>
        Read
      </button>
      <button type="button" onClick={() => thing.set({ text: 'changed' })}>
        Change
      </button>
      <output aria-label="Thing">{thing.data?.text}</output>
    </>
  )
}

const Gallery = () => (
  <main style={{ padding: '32px', maxWidth: '720px' }}>
    <h1>Parts</h1>
    <p role="status">{liveState.value}</p>
    <Polled />
    <Changed />
    <LiveFigures />
    <Charts />
    <Moments />
  </main>
)

startLive()
const root = document.getElementById('app')
if (root) render(<Gallery />, root)
