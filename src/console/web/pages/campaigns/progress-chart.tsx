// A chart of a campaign's progress since its start: stored samples, then live ones while the page is open.
import { useEffect, useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { CampaignSample } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { useResource } from '../../core/load.ts'
import { sayError } from '../../core/toasts.ts'

interface Sample extends Omit<CampaignSample, 'at'> {
  readonly at: number
}

const mostSamples = 240
const height = 200
const loadChart = () => import('../../parts/chart.tsx')

export function ProgressChart({
  campaign,
  startedAt,
}: {
  readonly campaign: CampaignRecord
  readonly startedAt: string
}) {
  const path = inWorkspace(`/campaigns/${campaign.id}/progress`)
  const stored = useResource<{ readonly data: readonly CampaignSample[] }>(path)
  const live = useLiveSamples(campaign)
  // Load the chart library only here: it is heavy, and most visits never need it.
  const [drawing, setDrawing] = useState<Awaited<ReturnType<typeof loadChart>>>()
  useEffect(() => {
    loadChart().then(setDrawing, sayError)
  }, [])
  // If the stored samples cannot be read, the chart still shows the live ones.
  if (!drawing || !(stored.data || stored.error)) return <div class="chart-place" />
  const samples = joined(Date.parse(startedAt), stored.data?.data ?? [], live)
  const line = (of: (sample: Sample) => number) => samples.map(of)
  return (
    <drawing.Chart
      label="Sent, delivered, read and failed since the campaign began"
      height={height}
      times={samples.map(({ at }) => at)}
      series={[
        { title: 'Sent', tone: 'info', values: line(({ sent }) => sent) },
        { title: 'Delivered', tone: 'good', values: line(({ delivered }) => delivered) },
        { title: 'Read', tone: 'accent', values: line(({ read }) => read) },
        { title: 'Failed', tone: 'bad', values: line(({ failed }) => failed) },
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
  const later = live.map((sample) => {
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
