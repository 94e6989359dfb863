import type { NumberRecord, TemplateRecord, TemplateVariable } from '../../../../contract/records/catalog.ts'
import type { ApiError } from '../../core/api.ts'
import { phone, zone } from '../../core/format.ts'
import { Field, Select } from '../../parts/field.tsx'
import { isUploaded } from '../../parts/media-field.tsx'
import { VariableField, variablesOf } from '../../parts/variable-field.tsx'
import { type Draft, templateKey } from './plan.ts'

interface Props {
  readonly draft: Draft
  readonly templates: readonly TemplateRecord[]
  readonly numbers: readonly NumberRecord[]
  readonly error: ApiError | undefined
  /** Only the name and the pace of a started campaign can change. */
  readonly isAdjustment?: boolean
  /** It is stored with a number, which another can replace; the default is taken only while there is none. */
  readonly hasNumber?: boolean
  onChange(draft: Draft): void
}

export function PlanFields(props: Props) {
  const { draft, error, isAdjustment, onChange } = props
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  return (
    <>
      <Field
        label="Name"
        hint="For you and your colleagues; customers do not see it."
        value={draft.name}
        maxLength={200}
        error={error?.of('name')}
        onInput={(name) => change({ name })}
      />
      {!isAdjustment && <What {...props} />}
      <div class="columns">
        {!isAdjustment && (
          <Field
            label="Start at"
            type="datetime-local"
            hint={`In your time zone, ${zone()}. Empty: when you start it.`}
            value={draft.startAt}
            error={error?.of('startAt')}
            onInput={(startAt) => change({ startAt })}
          />
        )}
        <Field
          label="Messages a second"
          type="number"
          min={1}
          max={1000}
          hint="At most. Empty: as fast as the number may."
          value={draft.pace}
          error={error?.of('messagesPerSecond')}
          onInput={(pace) => change({ pace })}
        />
      </div>
    </>
  )
}

function What({ draft, templates, numbers, error, hasNumber, onChange }: Props) {
  const chosen = templates.find((one) => templateKey(one) === draft.template)
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  const variables = chosen ? variablesOf(chosen) : []
  return (
    <>
      <Select
        label="Template"
        hint="Approved templates of the workspace."
        value={draft.template}
        options={[{ value: '', label: 'Choose one' }, ...templateOptions(templates, draft.template)]}
        error={error?.of('template')}
        onChange={(template) => change({ template, variables: {} })}
      />
      {chosen && variables.length > 0 && (
        <fieldset class="field">
          <legend>Default values</legend>
          <p class="hint">
            They hold where a recipient brings no value. Leave one empty and every recipient needs it.
          </p>
          <div class="columns">
            {variables.map((variable) => (
              <VariableField
                key={`${draft.template} ${variable.name} ${draft.numberId}`}
                template={chosen}
                variable={variable}
                isOptional={chosen.optionalVariables.includes(variable)}
                numberId={draft.numberId}
                value={draft.variables[variable.name] ?? ''}
                error={error?.of(`variables.${variable.name}`)}
                onChange={(value) => change({ variables: { ...draft.variables, [variable.name]: value } })}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Select
        label="Send from"
        value={draft.numberId}
        options={[
          ...(hasNumber ? [] : [{ value: '', label: 'The default number' }]),
          ...numbers.map(({ id, number, displayName }) => ({
            value: id,
            label: `${phone(number)} ${displayName}`,
          })),
        ]}
        error={error?.of('numberId')}
        onChange={(numberId) => change({ numberId, variables: sendable(draft.variables, variables) })}
      />
    </>
  )
}

/** Drops uploaded files, because another number cannot send them. */
function sendable(values: Draft['variables'], variables: readonly TemplateVariable[]): Draft['variables'] {
  const media = variables.filter(({ kind }) => kind === 'MEDIA').map(({ name }) => name)
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !(media.includes(name) && isUploaded(value))),
  )
}

/** Includes the chosen template even if it is not approved any more. */
function templateOptions(templates: readonly TemplateRecord[], current: string) {
  const options = templates.map((template) => ({
    value: templateKey(template),
    label: `${template.name} (${template.language})`,
  }))
  const isMissing = current !== '' && !options.some(({ value }) => value === current)
  return isMissing ? [{ value: current, label: `${current} (not approved any more)` }, ...options] : options
}
