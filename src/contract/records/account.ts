// What the provider reports about the account, its numbers and its templates: the state of each matter.

/** One matter has one state for each subject; a later report of the same matter replaces it. */
export const accountTopics = [
  'BAN',
  'RESTRICTION',
  'VIOLATION',
  'ALERT',
  'REVIEW',
  'CONNECTION',
  'PAYMENT',
  'SECURITY',
  'MESSAGING_LIMIT',
  'NUMBER_QUALITY',
  'NUMBER_NAME',
  'NUMBER_SETTINGS',
  'TEMPLATE_STATUS',
  'TEMPLATE_QUALITY',
  'TEMPLATE_CATEGORY',
  'OTHER',
] as const
export type AccountTopic = (typeof accountTopics)[number]

/** CRITICAL stops something now; WARNING needs somebody; INFO is good or indifferent news. */
export const accountSeverities = ['INFO', 'WARNING', 'CRITICAL'] as const
export type AccountSeverity = (typeof accountSeverities)[number]

export interface AccountStateRecord {
  topic: AccountTopic
  /** The provider's word: DISABLE, RESTRICTED_BIZ_INITIATED_MESSAGING, TIER_2K, RED, ... */
  status: string
  severity: AccountSeverity
  /** The number that it is about, as the provider names it: E.164 or its id. Null: no single number. */
  number: string | null
  template: { name: string; language: string } | null
  /** What has happened, for a person. */
  message: string
  /** What to do about it; null: nothing. */
  advice: string | null
  /** By the provider's time. */
  occurredAt: string
  /** When it ends by itself; null: when the provider says so. */
  until: string | null
  /** What the provider sent. */
  details: Record<string, unknown>
}
