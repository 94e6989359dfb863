import type { MessageFilter } from '../../contract/filters.ts'

/** Each has an index of its own in the order of the list, with few messages of a workspace. */
export const narrow = [
  'conversationId',
  'contact',
  'campaignId',
  'idempotencyKey',
  'providerMessageId',
  'updatedSince',
] as const

export const isNarrow = (filter: MessageFilter): boolean => narrow.some((name) => filter[name] !== undefined)
