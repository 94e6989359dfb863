// Campaigns and their recipients, as the API shows them.
import type { Failure } from './failure.ts'

export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** Why a campaign paused automatically. */
export const pauseReasons = [
  'OVERDUE',
  'TEMPLATE_PAUSED',
  'TEMPLATE_UNAVAILABLE',
  'NUMBER_UNAVAILABLE',
  'WORKSPACE_SUSPENDED',
  'SPAM_LIMIT',
  'BILLING',
  'PROVIDER_ACCOUNT',
  'TOO_MANY_FAILURES',
  'ACCOUNT_RESTRICTED',
  'DATABASE_RESTORED',
] as const
export type PauseReason = (typeof pauseReasons)[number]

export const campaignCounts = [
  'total',
  'pending',
  'queued',
  'held',
  'unknown',
  'sent',
  'delivered',
  'read',
  'failed',
  'skipped',
  'cancelled',
  'replied',
] as const
export type CampaignCounts = Record<(typeof campaignCounts)[number], number>

/** Each recipient has exactly one of these statuses. */
export const recipientStatuses = [
  'PENDING',
  'QUEUED',
  'HELD',
  'UNKNOWN',
  'SENT',
  'DELIVERED',
  'READ',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const
export type RecipientStatus = (typeof recipientStatuses)[number]

export interface CampaignRecord {
  id: string
  name: string
  status: CampaignStatus
  numberId: string | null
  template: { name: string; language: string }
  variables: Record<string, string>
  startAt: string | null
  messagesPerSecond: number | null
  pauseReason: PauseReason | null
  /** The provider's error because of which it paused itself. */
  pauseError: Failure | null
  counts: CampaignCounts
  createdAt: string
  updatedAt: string
  startedAt: string | null
  pausedAt: string | null
  completedAt: string | null
  cancelledAt: string | null
}

export interface RecipientRecord {
  id: string
  /** The number as digits; empty where the recipient is given by a user id. */
  to: string
  userId: string | null
  variables: Record<string, string>
  status: RecipientStatus
  messageId: string | null
  error: Failure | null
  skippedReason: string | null
  repliedAt: string | null
  updatedAt: string
}
