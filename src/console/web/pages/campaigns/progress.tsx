// The progress of a campaign: all recipients by status, as a bar and as numbers that add up to the total.
import type { CampaignCounts, CampaignRecord } from '../../../../contract/records/campaign.ts'
import { count, plural, sentence } from '../../core/format.ts'
import { useTopic } from '../../core/live.ts'
import { hrefOf } from '../../core/router.ts'
import { CampaignBadge, recipientWords } from './words.tsx'

export const topicOf = (id: string): string => `campaign:${id}`

/** Recipients that are no longer pending. */
export const doneOf = ({ total, pending }: CampaignCounts): number => total - pending

export function ProgressBar({
  counts,
  isSmall,
}: {
  readonly counts: CampaignCounts
  readonly isSmall?: boolean
}) {
  const parts = recipientWords.filter((word) => counts[word.count] > 0)
  const told = parts.map((word) => `${count(counts[word.count])} ${sentence(word.status).toLowerCase()}`)
  return (
    <div
      class={isSmall ? 'progress small' : 'progress'}
      role="img"
      aria-label={counts.total === 0 ? 'No recipients' : `Of ${count(counts.total)}: ${told.join(', ')}`}
    >
      {parts.map((word) => (
        <span
          key={word.status}
          class={`progress-part status-${word.count}`}
          style={{ width: `${(100 * counts[word.count]) / counts.total}%` }}
        />
      ))}
    </div>
  )
}

/** Lists every status from the start, so that nothing moves when a status gets its first recipient. */
export const CountList = ({ campaign: { id, counts } }: { readonly campaign: CampaignRecord }) => (
  <ul class="counts">
    {recipientWords.map((word) => (
      <li key={word.status} title={word.meaning}>
        <a href={`${hrefOf('campaigns', id)}?status=${word.status}`}>
          <span class={`dot status-${word.count}`} />
          {sentence(word.status)}
        </a>
        <span class={counts[word.count] === 0 ? 'dim' : undefined}>{count(counts[word.count])}</span>
      </li>
    ))}
    <li class="counts-total">
      <span>Total</span>
      <strong>{count(counts.total)}</strong>
    </li>
    <li>
      <span>Replied</span>
      <span>{count(counts.replied)}</span>
    </li>
  </ul>
)

interface State {
  readonly campaign: CampaignRecord | null
}

/** The record from the live socket if the campaign is watched, otherwise the given one. */
function useLive(campaign: CampaignRecord, isWatched: boolean): CampaignRecord {
  const live = useTopic<State>(isWatched ? topicOf(campaign.id) : undefined)?.campaign
  return live ?? campaign
}

interface CellProps {
  readonly campaign: CampaignRecord
  readonly isWatched: boolean
}

export const StateCell = ({ campaign, isWatched }: CellProps) => (
  <CampaignBadge status={useLive(campaign, isWatched).status} />
)

export function ProgressCell({ campaign, isWatched }: CellProps) {
  const { counts } = useLive(campaign, isWatched)
  return (
    <span class="progress-cell">
      <ProgressBar counts={counts} isSmall />
      <small>
        {counts.total === 0
          ? 'No recipients yet'
          : `${count(doneOf(counts))} of ${plural(counts.total, 'recipient')}`}
      </small>
    </span>
  )
}
