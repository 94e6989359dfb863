// The attempts to one endpoint over the last 24 hours, by hour.
import { useEffect, useState } from 'preact/hooks'
import type { EndpointHealth, EndpointHour } from '../../../../contract/records/overview.ts'
import { inWorkspace } from '../../core/api.ts'
import { count, duration, percent, plural } from '../../core/format.ts'
import { useResource } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { sayError } from '../../core/toasts.ts'
import { Section } from '../../parts/facts.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { LastAnswers } from './last-answers.tsx'

const LOOK_MS = 30_000
const HOUR_MS = 3_600_000
const loadChart = () => import('../../parts/chart.tsx')

export function Health({ endpointId }: { readonly endpointId: string }) {
  const { data, error, reload } = useResource<EndpointHealth>(inWorkspace(`/endpoints/${endpointId}/health`))
  useRepeat(data && LOOK_MS, reload)
  // Loaded only here: most visits never need it.
  const [drawing, setDrawing] = useState<Drawing>()
  useEffect(() => {
    loadChart().then(setDrawing, sayError)
  }, [])
  return (
    <Section title="Last 24 hours">
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !(data && drawing) && <Skeleton rows={5} />}
      {data && <LastAnswers last={data.last} />}
      {data && drawing && <Hours hours={data.hours} drawing={drawing} />}
    </Section>
  )
}

type Drawing = Awaited<ReturnType<typeof loadChart>>

function Hours({
  hours,
  drawing: { Chart },
}: {
  readonly hours: readonly EndpointHour[]
  readonly drawing: Drawing
}) {
  const attempts = sum(hours.map((hour) => hour.attempts))
  if (attempts === 0) return <p class="dim">Nothing was sent to it in the last 24 hours.</p>
  const failures = sum(hours.map((hour) => hour.failures))
  const isCapped = hours.some(({ capped }) => capped)
  const times = hours.map(({ at }) => Date.parse(at))
  const share = percent(failures / attempts)
  return (
    <>
      <p>
        {isCapped && 'At least '}
        {plural(attempts, 'attempt')},{' '}
        {failures === 0 ? 'none failed' : `${count(failures)} failed (${share})`}.
        {isCapped &&
          ' Some hours had more than are looked at: their figures, and the percentiles, are of the latest attempts of the hour.'}
      </p>
      <div class="charts">
        <div>
          <h3>Attempts an hour</h3>
          <Chart
            label="Attempts in each of the last 24 hours"
            isStacked
            lengthMs={HOUR_MS}
            times={times}
            series={[
              {
                title: 'Succeeded',
                tone: 'good',
                values: hours.map((hour) => hour.attempts - hour.failures),
              },
              { title: 'Failed', tone: 'bad', values: hours.map((hour) => hour.failures) },
            ]}
          />
        </div>
        <div>
          <h3>Response time</h3>
          <Chart
            label="Response time in each of the last 24 hours: what half and 95% of the attempts took at most"
            lengthMs={HOUR_MS}
            times={times}
            told={duration}
            series={[
              { title: 'p50', tone: 'info', values: hours.map(({ p50Ms }) => p50Ms) },
              { title: 'p95', tone: 'warn', values: hours.map(({ p95Ms }) => p95Ms) },
            ]}
          />
        </div>
      </div>
    </>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
