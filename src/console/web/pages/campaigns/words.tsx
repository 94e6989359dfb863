// Texts for the statuses of campaigns and recipients, and for what the operator can do about them.
import type {
  CampaignRecord,
  CampaignStatus,
  RecipientStatus,
} from '../../../../contract/records/campaign.ts'
import { sentence } from '../../core/format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'

const campaignTones: Readonly<Record<CampaignStatus, Tone>> = {
  DRAFT: 'neutral',
  SCHEDULED: 'info',
  RUNNING: 'info',
  PAUSED: 'warn',
  COMPLETED: 'good',
  CANCELLED: 'neutral',
}

export const statuses = Object.keys(campaignTones) as CampaignStatus[]

export const CampaignBadge = ({ status }: { readonly status: CampaignStatus }) => (
  <Badge tone={campaignTones[status]}>{sentence(status)}</Badge>
)

export interface RecipientWord {
  readonly status: RecipientStatus
  readonly count: Exclude<keyof CampaignRecord['counts'], 'total' | 'replied'>
  readonly tone: Tone
  readonly meaning: string
}

/** In the order of the bar: from the best outcome to the worst, pending recipients last. */
export const recipientWords: readonly RecipientWord[] = [
  { status: 'READ', count: 'read', tone: 'good', meaning: 'The customer has opened it.' },
  { status: 'DELIVERED', count: 'delivered', tone: 'good', meaning: 'It is on the customer’s telephone.' },
  { status: 'SENT', count: 'sent', tone: 'info', meaning: 'The provider has sent it.' },
  {
    status: 'QUEUED',
    count: 'queued',
    tone: 'info',
    meaning: 'With the provider, which has not said more yet.',
  },
  {
    status: 'HELD',
    count: 'held',
    tone: 'warn',
    meaning: 'The provider holds it back and watches its quality.',
  },
  {
    status: 'UNKNOWN',
    count: 'unknown',
    tone: 'warn',
    meaning: 'Handed over; whether it was taken is not known.',
  },
  {
    status: 'FAILED',
    count: 'failed',
    tone: 'bad',
    meaning: 'The provider refused or could not deliver it.',
  },
  {
    status: 'SKIPPED',
    count: 'skipped',
    tone: 'neutral',
    meaning: 'Nothing is sent: opted out, without a number, or on the list twice.',
  },
  {
    status: 'CANCELLED',
    count: 'cancelled',
    tone: 'neutral',
    meaning: 'The campaign was cancelled before its turn.',
  },
  { status: 'PENDING', count: 'pending', tone: 'neutral', meaning: 'Waits for its turn.' },
]

const tones = new Map(recipientWords.map(({ status, tone }) => [status, tone]))

export const RecipientBadge = ({ status }: { readonly status: RecipientStatus }) => (
  <Badge tone={tones.get(status) ?? 'neutral'}>{sentence(status)}</Badge>
)
