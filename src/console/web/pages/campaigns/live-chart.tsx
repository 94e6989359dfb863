// How the counts have moved since the page was opened.
import { useEffect, useState } from 'preact/hooks'
import type { CampaignCounts } from '../../../../contract/records/campaign.ts'
import { sayError } from '../../foundation/toasts.ts'

interface Sample {
  readonly at: number
  readonly counts: CampaignCounts
}

const mostSamples = 240
const height = 200
const loadChart = () => import('../../parts/chart.tsx')

export function LiveChart({ counts }: { readonly counts: CampaignCounts }) {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const key = JSON.stringify(counts)
  useEffect(() => setSamples((before) => thinned([...before, { at: Date.now(), counts }])), [key])
  // What draws is heavy, and most visits never come to it.
  const [drawing, setDrawing] = useState<Awaited<ReturnType<typeof loadChart>>>()
  useEffect(() => {
    loadChart().then(setDrawing, sayError)
  }, [])
  if (!drawing) return <div class="chart-place" />
  const line = (of: (counts: CampaignCounts) => number) => samples.map((sample) => of(sample.counts))
  return (
    <drawing.Chart
      label="Sent, delivered, read and failed since this page was opened"
      height={height}
      hasSeconds
      times={samples.map(({ at }) => at)}
      series={[
        { title: 'Sent', tone: 'info', values: line(({ sent, delivered, read }) => sent + delivered + read) },
        { title: 'Delivered', tone: 'good', values: line(({ delivered, read }) => delivered + read) },
        { title: 'Read', tone: 'accent', values: line(({ read }) => read) },
        { title: 'Failed', tone: 'bad', values: line(({ failed }) => failed) },
      ]}
    />
  )
}

/** Every other one goes when they are too many, but for the first and the last. */
const thinned = (samples: readonly Sample[]): readonly Sample[] =>
  samples.length <= mostSamples
    ? samples
    : samples.filter((_, index) => index % 2 === 0 || index === samples.length - 1)
