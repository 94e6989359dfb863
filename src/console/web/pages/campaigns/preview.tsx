import type { TemplateRecord } from '../../../../contract/records/catalog.ts'
import { Bubble } from '../templates/bubble.tsx'
import { usePreview } from '../templates/use-preview.ts'

interface Props {
  readonly template: TemplateRecord | undefined
  readonly variables: Readonly<Record<string, string>>
}

/** What the customer gets if the recipient has no values of its own. */
export function TemplatePreview({ template, variables }: Props) {
  const preview = usePreview(template?.components ?? [], variables)
  if (!template) return <p class="no-preview dim">Choose a template to see it here.</p>
  return preview ? <Bubble preview={preview} label="Preview" /> : <p class="no-preview" />
}
