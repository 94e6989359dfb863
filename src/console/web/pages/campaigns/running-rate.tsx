// A running campaign in figures: how fast it is, how long it still takes and what limits it. Afterwards, what it was.
import { useRef } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { CampaignPace, CampaignSample } from '../../../../contract/records/console.ts'
import { count, duration, moment, now, percent, plural, time } from '../../core/format.ts'
import { useRepeat } from '../../core/repeat.ts'
import { type Point, rateOf, timeLeft } from './progress-rules.ts'

/** The answer of the route: samples, and what limits the campaign now. */
export interface Progress {
  readonly data: readonly CampaignSample[]
  readonly pace: CampaignPace | null
}

const LOOK_MS = 5_000
const mostPoints = 200

interface Props {
  readonly campaign: CampaignRecord
  readonly progress: Progress | undefined
  onLook(): void
}

export function RunningRate({ campaign, progress, onLook }: Props) {
  const isRunning = campaign.status === 'RUNNING'
  useRepeat(isRunning ? LOOK_MS : undefined, onLook)
  const points = usePoints(campaign)
  if (campaign.startedAt === null) return null
  const figures = isRunning
    ? ofRunning(campaign, progress?.pace ?? null, points)
    : ofEnded(campaign, Date.parse(campaign.startedAt))
  return (
    <>
      <dl class="pace">
        {figures.map(({ title, value, hint }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
            {hint && <dd class="dim">{hint}</dd>}
          </div>
        ))}
      </dl>
      {isRunning &&
        progress?.pace?.warnings.map((warning) => <p key={warning} class="dim">{`Note: ${warning}.`}</p>)}
    </>
  )
}

/** Remembers how many were done at which time, while the page is open. */
function usePoints({ counts, status }: CampaignRecord): readonly Point[] {
  const points = useRef<readonly Point[]>([])
  const of = useRef(status)
  const done = counts.total - counts.pending
  if (of.current !== status) points.current = []
  of.current = status
  if (points.current.at(-1)?.done !== done)
    points.current = [...points.current, { at: Date.now(), done }].slice(-mostPoints)
  return points.current
}

interface Figure {
  readonly title: string
  readonly value: string
  readonly hint?: string | undefined
}

const limitWords: Readonly<Record<CampaignPace['limitedBy'], string>> = {
  CAMPAIGN_PACE: 'The pace of this campaign',
  NUMBER_RATE: 'The rate of the number',
  OTHER_CAMPAIGNS: 'Other campaigns of the number',
  MESSAGING_LIMIT: 'The provider’s limit of customers in 24 hours',
  PROVIDER: 'The provider slows the number down',
}

function ofRunning(campaign: CampaignRecord, pace: CampaignPace | null, points: readonly Point[]): Figure[] {
  const { counts, startedAt, messagesPerSecond } = campaign
  const nowMs = Math.max(now.value, Date.now())
  const rate = rateOf(points, nowMs)
  const left = timeLeft(counts.pending, { rate, planned: pace?.messagesPerSecond })
  return [
    {
      title: 'Rate now',
      value: rate === undefined ? 'Measuring…' : `${perSecond(rate)} a second`,
      hint: pace === null ? undefined : `of at most ${perSecond(pace.messagesPerSecond)}`,
    },
    { title: 'Time left', ...leftWords(left, counts.pending, nowMs) },
    {
      title: 'Limited by',
      value: pace === null ? '—' : limitWords[pace.limitedBy],
      hint: limitHint(pace, messagesPerSecond, counts.held),
    },
    { title: 'Running for', value: duration(wholeSeconds(nowMs - Date.parse(startedAt ?? ''))) },
  ]
}

function leftWords(left: number | null, pending: number, nowMs: number): Pick<Figure, 'value' | 'hint'> {
  if (pending === 0) return { value: 'None', hint: 'every recipient was processed' }
  if (left === null) return { value: 'Not known', hint: 'nothing moves at present' }
  const at = nowMs + left
  const isToday = new Date(at).toDateString() === new Date(nowMs).toDateString()
  return { value: `About ${duration(roughly(left))}`, hint: `until ${isToday ? time(at) : moment(at)}` }
}

function limitHint(pace: CampaignPace | null, own: number | null, held: number): string | undefined {
  if (pace !== null && pace.blockedSeconds > 0) return `nothing is sent for ${pace.blockedSeconds} s`
  if (held > 0) return `${count(held)} held by the provider for a quality check`
  return pace?.limitedBy === 'CAMPAIGN_PACE' && own !== null
    ? `${plural(own, 'message')} a second`
    : undefined
}

function ofEnded({ counts, ...campaign }: CampaignRecord, startedAt: number): Figure[] {
  const endedAt = campaign.completedAt ?? campaign.cancelledAt ?? campaign.pausedAt
  const tookMs = endedAt === null ? 0 : Math.max(1_000, Date.parse(endedAt) - startedAt)
  const delivered = counts.delivered + counts.read
  const reached = counts.sent + delivered
  const done = counts.total - counts.pending - counts.cancelled - counts.skipped
  const share = (part: number) => (done === 0 ? '—' : percent(part / done))
  return [
    { title: 'Delivered', value: share(delivered), hint: `${count(delivered)} of ${count(done)}` },
    { title: 'Read', value: share(counts.read), hint: count(counts.read) },
    { title: 'Failed', value: share(counts.failed), hint: count(counts.failed) },
    {
      title: 'Took',
      value: tookMs === 0 ? '—' : duration(wholeSeconds(tookMs)),
      hint:
        tookMs === 0 || reached === 0
          ? undefined
          : `${perSecond((done / tookMs) * 1_000)} a second on average`,
    },
  ]
}

const wholeSeconds = (ms: number): number => Math.max(0, Math.floor(ms / 1_000) * 1_000)
/** To ten seconds within a few minutes, then to the minute: it must not flicker. */
const roughly = (ms: number): number => {
  const step = ms < 300_000 ? 10_000 : 60_000
  return Math.max(step, Math.round(ms / step) * step)
}
const perSecond = (rate: number): string => count(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))
