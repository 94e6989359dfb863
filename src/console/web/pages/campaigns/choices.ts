// What a campaign can be made of: its template and its number.
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { NumberRecord, TemplateRecord } from '../../../../contract/records/catalog.ts'
import { type ApiError, inWorkspace } from '../../core/api.ts'
import { type Loaded, useResource, useWholeList } from '../../core/load.ts'

type Named = CampaignRecord['template']

/** The template with exactly this name, in this language. */
function useNamed(template: Named | undefined): Loaded<{ readonly data: readonly TemplateRecord[] }> {
  const { name: exactName, language } = template ?? {}
  return useResource(template && inWorkspace('/templates', { exactName, language }))
}

export const useTemplate = (template: Named): TemplateRecord | undefined => useNamed(template).data?.data[0]

export interface Choices {
  /** Undefined until they are loaded. */
  readonly templates: readonly TemplateRecord[] | undefined
  readonly numbers: readonly NumberRecord[] | undefined
  /** Of the first read that failed. */
  readonly error: ApiError | undefined
  retry(): void
}

/** The template that a campaign has is there as long as it is approved. */
export function useChoices(current?: Named): Choices {
  const approved = useWholeList<TemplateRecord>(inWorkspace('/templates', { status: 'APPROVED', limit: 200 }))
  const numbers = useWholeList<NumberRecord>(inWorkspace('/numbers', { limit: 200 }))
  const own = useNamed(current)
  const failed = [approved, numbers, own].find(({ error }) => error !== undefined)
  const isComplete = current === undefined || own.data !== undefined
  return {
    templates: isComplete ? withOwn(approved.rows, own.data?.data[0]) : undefined,
    numbers: numbers.rows,
    error: failed?.error,
    retry: () => failed?.reload(),
  }
}

function withOwn(
  rows: readonly TemplateRecord[] | undefined,
  own: TemplateRecord | undefined,
): readonly TemplateRecord[] | undefined {
  if (!rows || own?.status !== 'APPROVED' || rows.some(({ id }) => id === own.id)) return rows
  return [own, ...rows]
}
