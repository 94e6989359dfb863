// Shows before the start how long a campaign will take, at which rate, and what prevents it.
import { useEffect, useRef } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import { inWorkspace } from '../../core/api.ts'
import { count, exact, moment, plural } from '../../core/format.ts'
import { type Loaded, useResource } from '../../core/load.ts'
import { Facts } from '../../parts/facts.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'

export interface Estimate {
  readonly recipients: number
  readonly messagesPerSecond: number
  readonly limitedBy: 'CAMPAIGN_PACE' | 'NUMBER_RATE' | 'OTHER_CAMPAIGNS' | 'MESSAGING_LIMIT'
  readonly seconds: number
  readonly startsAt: string
  readonly endsAt: string
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

const limits: Readonly<Record<Estimate['limitedBy'], string>> = {
  CAMPAIGN_PACE: 'The pace of this campaign',
  NUMBER_RATE: 'What the number may send, less what is kept for single messages',
  OTHER_CAMPAIGNS: 'Other campaigns that run from the same number',
  MESSAGING_LIMIT: 'How many customers the provider lets the number begin with in 24 hours',
}

export function useEstimate({ id, status, counts, updatedAt }: CampaignRecord): Loaded<Estimate> {
  const estimate = useResource<Estimate>(inWorkspace(`/campaigns/${id}/estimate`))
  const question = `${status} ${counts.pending} ${updatedAt}`
  const asked = useRef(question)
  useEffect(() => {
    if (asked.current !== question) estimate.reload()
    asked.current = question
  }, [question])
  return estimate
}

function duration(seconds: number): string {
  if (seconds < 60) return plural(Math.max(Math.round(seconds), 1), 'second')
  if (seconds < 3_600) return `about ${plural(Math.round(seconds / 60), 'minute')}`
  if (seconds < 86_400) return `about ${plural(Math.round(seconds / 3_600), 'hour')}`
  return `about ${plural(Math.round(seconds / 86_400), 'day')}`
}

export function EstimateFacts({
  estimate: { data, error, reload },
}: {
  readonly estimate: Loaded<Estimate>
}) {
  if (error) return <ErrorState error={error} onRetry={reload} />
  if (!data) return <Skeleton rows={4} />
  const { recipients, messagesPerSecond: rate, limitedBy, seconds, startsAt, endsAt } = data
  return (
    <>
      <Facts
        facts={[
          ['Recipients', count(recipients)],
          ['Rate', rate === 0 ? 'None without a number' : `${plural(rate, 'message')} a second`],
          ['Limited by', limits[limitedBy]],
          ['Takes', recipients === 0 || rate === 0 ? '—' : duration(seconds)],
          [
            'Starts',
            <time key="starts" dateTime={startsAt} title={exact(startsAt)}>
              {startOf(startsAt)}
            </time>,
          ],
          ...(recipients === 0 || rate === 0
            ? []
            : ([
                [
                  'Ends',
                  <time key="ends" dateTime={endsAt} title={exact(endsAt)}>
                    {moment(endsAt)}
                  </time>,
                ],
              ] as const)),
        ]}
      />
      <Warnings warnings={data.warnings} />
    </>
  )
}

const startOf = (instant: string): string => (Date.parse(instant) <= Date.now() ? 'At once' : moment(instant))

const Warnings = ({ warnings }: Pick<Estimate, 'warnings'>) =>
  warnings.length === 0 ? null : (
    <Note tone="warn">
      {warnings.map(({ code, message }) => (
        <p key={code}>{message.charAt(0).toUpperCase() + message.slice(1)}.</p>
      ))}
    </Note>
  )
