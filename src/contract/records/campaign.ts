// The campaign record (decisions 4).

export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

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

export interface CampaignRecord {
  id: string
  name: string
  status: CampaignStatus
  numberId: string | null
  template: { name: string; language: string }
  variables: Record<string, string>
  startAt: string | null
  messagesPerSecond: number | null
  pauseReason: string | null
  counts: CampaignCounts
  createdAt: string
  updatedAt: string
  startedAt: string | null
  pausedAt: string | null
  completedAt: string | null
  cancelledAt: string | null
}
