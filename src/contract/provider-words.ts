// Maps the provider's words and encodings to ours. The provider has more template states than the API shows.
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

/** An unknown word becomes DISABLED, because only APPROVED templates can be sent. */
export function templateStatusOf(word: string): TemplateStatus {
  const upper = word.toUpperCase()
  return templateStatuses.find((status) => status === upper) ?? otherStatuses[upper] ?? 'DISABLED'
}

/** An unknown word becomes MARKETING, which has the strictest rules. */
export const templateCategoryOf = (word: string): TemplateCategory =>
  templateCategories.find((category) => category === word.toUpperCase()) ?? 'MARKETING'

/** The digest as hex, from hex (media answers) or base64 (webhooks); null if the text is neither. */
export function sha256Hex(text: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 ? bytes.toString('hex') : null
}
