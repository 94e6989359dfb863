// Estimates the duration of a campaign, and warns of what prevents it. Pure: reads and sends nothing.
import type { CampaignStatus } from '../contract/records/campaign.ts'
import { campaignRate, fairRate } from './pacing.ts'

/** What can limit a campaign, from the nearest limit to the farthest. */
export const paceLimits = ['CAMPAIGN_PACE', 'NUMBER_RATE', 'OTHER_CAMPAIGNS', 'MESSAGING_LIMIT'] as const
export type PaceLimit = (typeof paceLimits)[number]

export const estimateWarnings = [
  'CAMPAIGN_ENDED',
  'NO_RECIPIENTS',
  'NO_SENDER_NUMBER',
  'NUMBER_NOT_CONNECTED',
  'NUMBER_QUALITY_LOW',
  'START_OVERDUE',
  'ACCOUNT_RESTRICTED',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_NOT_APPROVED',
] as const
export type EstimateWarning = (typeof estimateWarnings)[number]

/** The input of an estimate. */
export interface Outlook {
  readonly status: CampaignStatus
  /** Recipients that are PENDING. */
  readonly pending: number
  readonly messagesPerSecond: number | null
  readonly startAt: Date | null
  /** Null: the campaign has no number, or its number no longer exists. */
  readonly number: {
    readonly messagesPerSecond: number
    /** The provider's id of the number. */
    readonly phoneNumberId?: string
    readonly status: string
    readonly qualityRating: string
    /**
     * Customers that the account may start with in 24 hours, and has started with. Null: unknown or no limit.
     */
    readonly messagingLimit: { readonly customers: number; readonly used: number } | null
  } | null
  /** The paces of the other campaigns that run from the number. */
  readonly otherPaces: readonly (number | null)[]
  /** Null: the workspace no longer has the template. */
  readonly templateStatus: string | null
  /** What the provider has stopped the account from; null: nothing. */
  readonly stopped?: { readonly message: string } | null
}

export interface Estimate {
  recipients: number
  messagesPerSecond: number
  limitedBy: PaceLimit
  seconds: number
  startsAt: string
  endsAt: string
  warnings: { code: EstimateWarning; message: string }[]
}

const daySeconds = 86_400

export function estimateCampaign(outlook: Outlook, now: Date): Estimate {
  const { pending, startAt, status } = outlook
  const { messagesPerSecond, limitedBy } = paceOf(outlook)
  const sending = messagesPerSecond === 0 ? 0 : pending / messagesPerSecond
  const held = heldSeconds(outlook, messagesPerSecond)
  const seconds = Math.ceil(Math.max(sending, held))
  const isWaiting = status === 'DRAFT' || status === 'SCHEDULED'
  const startsAt = isWaiting && startAt && startAt > now ? startAt : now
  return {
    recipients: pending,
    messagesPerSecond,
    limitedBy: held > sending ? 'MESSAGING_LIMIT' : limitedBy,
    seconds,
    startsAt: startsAt.toISOString(),
    endsAt: new Date(startsAt.getTime() + seconds * 1_000).toISOString(),
    warnings: warningsOf(outlook, now),
  }
}

function paceOf({ number, messagesPerSecond: pace, otherPaces }: Outlook) {
  const rate = campaignRate(number?.messagesPerSecond ?? 0)
  const fair = fairRate(rate, pace, otherPaces)
  const messagesPerSecond = Math.round(fair * 100) / 100
  if (fair === pace) return { messagesPerSecond, limitedBy: 'CAMPAIGN_PACE' as const }
  return {
    messagesPerSecond,
    limitedBy: fair < rate ? ('OTHER_CAMPAIGNS' as const) : ('NUMBER_RATE' as const),
  }
}

/**
 * The duration that the limit of customers in 24 hours alone causes. Assumes that the used part was used just
 * now: recipients beyond the rest wait a day, and another day for each further full limit.
 */
function heldSeconds({ number, pending }: Outlook, messagesPerSecond: number): number {
  const limit = number?.messagingLimit
  if (!limit || messagesPerSecond === 0) return 0
  const beyond = pending - Math.max(0, limit.customers - limit.used)
  if (beyond <= 0) return 0
  const days = Math.ceil(beyond / limit.customers)
  const onLastDay = beyond - (days - 1) * limit.customers
  return days * daySeconds + onLastDay / messagesPerSecond
}

function warningsOf(outlook: Outlook, now: Date): Estimate['warnings'] {
  const { status, pending } = outlook
  const warnings: Estimate['warnings'] = []
  const warn = (code: EstimateWarning, message: string): void => void warnings.push({ code, message })
  if (status === 'COMPLETED' || status === 'CANCELLED') {
    warn('CAMPAIGN_ENDED', `the campaign is ${status}: nothing more is sent`)
    return warnings
  }
  if (pending === 0) warn('NO_RECIPIENTS', 'there is nobody to send to: add recipients')
  warnOfTemplate(outlook, warn)
  warnOfNumber(outlook, warn)
  if (outlook.stopped) warn('ACCOUNT_RESTRICTED', outlook.stopped.message)
  if (isOverdue(outlook, now)) warn('START_OVERDUE', 'startAt has passed: choose another, or start it now')
  return warnings
}

type Warn = (code: EstimateWarning, message: string) => void

function warnOfTemplate({ templateStatus }: Outlook, warn: Warn): void {
  if (templateStatus === null) warn('TEMPLATE_NOT_FOUND', 'the workspace has no such template any more')
  else if (templateStatus !== 'APPROVED')
    warn('TEMPLATE_NOT_APPROVED', `the template is ${templateStatus}: it can be sent once it is APPROVED`)
}

function warnOfNumber({ number }: Outlook, warn: Warn): void {
  if (!number) return warn('NO_SENDER_NUMBER', 'the campaign has no number to send from: set its numberId')
  if (number.status !== 'CONNECTED')
    warn('NUMBER_NOT_CONNECTED', `the number is ${number.status}: it can send once it is CONNECTED`)
  if (number.qualityRating === 'RED')
    warn('NUMBER_QUALITY_LOW', "the number's quality is RED: the provider may hold it back")
}

const isOverdue = ({ status, startAt }: Outlook, now: Date): boolean =>
  (status === 'DRAFT' || status === 'SCHEDULED') && startAt !== null && startAt < now
