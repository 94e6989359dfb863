import type { TemplateStatus } from '../../../../contract/records/catalog.ts'
import { sentence } from '../../core/format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'

const tones: Readonly<Record<TemplateStatus, Tone>> = {
  APPROVED: 'good',
  PENDING: 'info',
  REJECTED: 'bad',
  PAUSED: 'warn',
  DISABLED: 'bad',
  DELETED: 'neutral',
}

export const statuses = Object.keys(tones) as TemplateStatus[]

export const TemplateState = ({ status }: { readonly status: TemplateStatus }) => (
  <Badge tone={tones[status]}>{sentence(status)}</Badge>
)

/** What each status means for sending. */
export const meaningOf: Readonly<Record<TemplateStatus, string>> = {
  APPROVED: 'It can be sent.',
  PENDING: 'The provider is reviewing it, which takes minutes to a day. This page follows by itself.',
  REJECTED: 'The provider refused it. Submit a corrected one under another name.',
  PAUSED: 'Customers reported or blocked it too often: it cannot be sent until the provider lets it again.',
  DISABLED: 'The provider has turned it off for good, after several pauses or a breach of its rules.',
  DELETED: 'It is no more at the provider.',
}
