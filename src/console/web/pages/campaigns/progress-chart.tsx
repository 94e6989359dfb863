// A chart of a campaign's progress since its start: stored samples, then live ones while the page is open.
import { useEffect, useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { CampaignSample } from '../../../../contract/records/console.ts'
import { sayError } from '../../core/toasts.ts'
import { barsOf, type Sample } from './progress-rules.ts'
import type { Progress } from './running-rate.tsx'

const mostSamples = 240
const height = 220
const loadChart = () => import('../../parts/chart.tsx')

interface Props {
  readonly campaign: CampaignRecord
  readonly startedAt: string
  /** Undefined while it is read. */
  readonly progress: Progress | undefined
}

export function ProgressChart({ campaign, startedAt, progress }: Props) {
  const live = useLiveSamples(campaign)
  // Loaded only here: most visits never need it.
  const [drawing, setDrawing] = useState<Awaited<ReturnType<typeof loadChart>>>()
  useEffect(() => {
    loadChart().then(setDrawing, sayError)
  }, [])
  if (!drawing || !progress) return <div class="chart-place" />
  const { times, lengthMs, ...bars } = barsOf(joined(Date.parse(startedAt), progress.data, live))
  return (
    <drawing.Chart
      label="Recipients by what became of them since the campaign began"
      height={height}
      isStacked
      times={times}
      lengthMs={lengthMs}
      series={[
        { title: 'Read', tone: 'accent', values: bars.read },
        { title: 'Delivered', tone: 'good', values: bars.delivered },
        { title: 'Sent', tone: 'info', values: bars.sent },
        { title: 'Failed', tone: 'bad', values: bars.failed },
      ]}
    />
  )
}

/** One sample now, and one more whenever the counts change. */
function useLiveSamples(campaign: CampaignRecord): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const key = JSON.stringify(campaign.counts)
  useEffect(
    () => setSamples((before) => thinned([...before, sampleOf(campaign, before.length === 0)])),
    [key],
  )
  return samples
}

/** The first sample of a stopped campaign has the time of the stop: its counts apply since then. */
function sampleOf(campaign: CampaignRecord, isFirst: boolean): Sample {
  const { status, counts, completedAt, cancelledAt, pausedAt } = campaign
  const stoppedAt = status === 'RUNNING' ? null : (completedAt ?? cancelledAt ?? pausedAt)
  return {
    at: isFirst && stoppedAt !== null ? Date.parse(stoppedAt) : Date.now(),
    sent: counts.sent + counts.delivered + counts.read,
    delivered: counts.delivered + counts.read,
    read: counts.read,
    failed: counts.failed,
  }
}

/** Zeros at the start, then the stored samples, then the live ones. Times must ascend strictly. */
function joined(
  startedAt: number,
  stored: readonly CampaignSample[],
  live: readonly Sample[],
): readonly Sample[] {
  const begin = { at: startedAt, sent: 0, delivered: 0, read: 0, failed: 0 }
  const past = stored
    .map((sample) => ({ ...sample, at: Date.parse(sample.at) }))
    .filter(({ at }) => at > startedAt)
  let last = past.at(-1)?.at ?? startedAt
  // Stored ones are read again while it runs. The newest live one is newer than all of them.
  const later = live
    .filter(({ at }, place) => at > last || place === live.length - 1)
    .map((sample) => {
      last = Math.max(sample.at, last + 1)
      return { ...sample, at: last }
    })
  return [begin, ...thinned(past), ...later]
}

/** Drops every other sample while there are too many, but keeps the first and the last. */
const thinned = (samples: readonly Sample[]): readonly Sample[] =>
  samples.length <= mostSamples
    ? samples
    : thinned(samples.filter((_, index) => index % 2 === 0 || index === samples.length - 1))
