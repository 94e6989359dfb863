// The provider's words and encodings, and ours for them. It has more states of a template than the API shows.
import {
  type TemplateCategory,
  type TemplateStatus,
  templateCategories,
  templateStatuses,
} from './records/catalog.ts'

const otherStatuses: Readonly<Record<string, TemplateStatus>> = {
  IN_APPEAL: 'REJECTED',
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  FLAGGED: 'PAUSED',
  LOCKED: 'PAUSED',
  LIMIT_EXCEEDED: 'DISABLED',
  ARCHIVED: 'DISABLED',
  PENDING_DELETION: 'DELETED',
}

/** A word we do not know is not sendable: only APPROVED is. */
export function templateStatusOf(word: string): TemplateStatus {
  const upper = word.toUpperCase()
  return templateStatuses.find((status) => status === upper) ?? otherStatuses[upper] ?? 'DISABLED'
}

/** A word we do not know is held to the strictest rules, those of marketing. */
export const templateCategoryOf = (word: string): TemplateCategory =>
  templateCategories.find((category) => category === word.toUpperCase()) ?? 'MARKETING'

/** A digest as hex, whether it came as hex (media answers) or as base64 (webhooks); null where it is neither. */
export function sha256Hex(text: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 ? bytes.toString('hex') : null
}
