// The state of the campaign form, and its conversion from and to the API.
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { TemplateRecord } from '../../../../contract/records/catalog.ts'

export interface Draft {
  readonly name: string
  /** The template's name and language, with a space in between. */
  readonly template: string
  readonly numberId: string
  readonly variables: Readonly<Record<string, string>>
  /** In the operator's time zone. Empty: it starts when somebody starts it. */
  readonly startAt: string
  /** Messages per second. Empty: as fast as the number allows. */
  readonly pace: string
}

export const emptyDraft: Draft = {
  name: '',
  template: '',
  numberId: '',
  variables: {},
  startAt: '',
  pace: '',
}

export const templateKey = ({ name, language }: Pick<TemplateRecord, 'name' | 'language'>): string =>
  `${name} ${language}`

export function draftOf(campaign: CampaignRecord): Draft {
  return {
    name: campaign.name,
    template: templateKey(campaign.template),
    numberId: campaign.numberId ?? '',
    variables: campaign.variables,
    startAt: campaign.startAt === null ? '' : toLocal(campaign.startAt),
    pace: campaign.messagesPerSecond === null ? '' : String(campaign.messagesPerSecond),
  }
}

/** The changes that a started campaign accepts: only name and pace. */
const adjustmentOf = ({ name, pace }: Draft) => ({
  name,
  messagesPerSecond: pace === '' ? null : Number(pace),
})

export function bodyOf(draft: Draft) {
  const [name = '', language = ''] = draft.template.split(' ')
  return {
    ...adjustmentOf(draft),
    template: { name, language },
    ...(draft.numberId && { numberId: draft.numberId }),
    variables: given(draft.variables),
    startAt: draft.startAt === '' ? null : new Date(draft.startAt).toISOString(),
  }
}

/** What somebody has changed since the form was opened. The rest stays as it is, also where it is not as it was then. */
export function changesOf(before: Draft, after: Draft, isAdjustment: boolean): Record<string, unknown> {
  const fieldsOf = isAdjustment ? adjustmentOf : bodyOf
  const old: Record<string, unknown> = fieldsOf(before)
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old[name])
  return Object.fromEntries(Object.entries(fieldsOf(after)).filter(isChanged))
}

/** Leaves out empty fields: they are not default values. */
export const given = (variables: Draft['variables']): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))

function toLocal(instant: string): string {
  const at = new Date(instant)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
