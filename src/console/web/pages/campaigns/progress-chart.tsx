// How a campaign has moved since it began: what was stored of it, and from then on what comes while the page is open.
import { useEffect, useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { CampaignSample } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../foundation/api.ts'
import { useResource } from '../../foundation/load.ts'
import { sayError } from '../../foundation/toasts.ts'

interface Sample extends Omit<CampaignSample, 'at'> {
  readonly at: number
}

const mostSamples = 240
const height = 200
const longMs = 2 * 3_600_000
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
  // What draws is heavy, and most visits never come to it.
  const [drawing, setDrawing] = useState<Awaited<ReturnType<typeof loadChart>>>()
  useEffect(() => {
    loadChart().then(setDrawing, sayError)
  }, [])
  // Without the stored ones it still shows what comes.
  if (!drawing || !(stored.data || stored.error)) return <div class="chart-place" />
  const samples = joined(Date.parse(startedAt), stored.data?.data ?? [], live)
  const line = (of: (sample: Sample) => number) => samples.map(of)
  const spanMs = (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)
  return (
    <drawing.Chart
      label="Sent, delivered, read and failed since the campaign began"
      height={height}
      hasSeconds={spanMs < longMs}
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

/** How it stands now, and each time that this changes. */
function useLiveSamples(campaign: CampaignRecord): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const key = JSON.stringify(campaign.counts)
  useEffect(
    () => setSamples((before) => thinned([...before, sampleOf(campaign, before.length === 0)])),
    [key],
  )
  return samples
}

/** One that has stopped stands since then as it does now. */
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

/** It begins with nothing; what was stored meanwhile is the page's own to tell. Times only rise. */
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

/** Every other one goes when they are too many, but for the first and the last. */
const thinned = (samples: readonly Sample[]): readonly Sample[] =>
  samples.length <= mostSamples
    ? samples
    : thinned(samples.filter((_, index) => index % 2 === 0 || index === samples.length - 1))
