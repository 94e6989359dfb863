import { Button, IconButton } from '../../parts/button.tsx'
import { Field, Select } from '../../parts/field.tsx'
import type { FormPart } from './draft.ts'
import { type ButtonDraft, type ButtonType, hasLabel, hasVariable } from './draft.ts'

const MOST = 10

const types = [
  { value: 'QUICK_REPLY', label: 'Reply' },
  { value: 'URL', label: 'Link' },
  { value: 'PHONE_NUMBER', label: 'Call a number' },
  { value: 'VOICE_CALL', label: 'Call in the chat' },
  { value: 'COPY_CODE', label: 'Copy a code' },
  { value: 'FLOW', label: 'Open a flow' },
  { value: 'CATALOG', label: 'Show the catalog' },
  { value: 'REQUEST_CONTACT_INFO', label: 'Ask for the number' },
]

export function ButtonsForm({ draft: { buttons }, change, errorOf }: FormPart) {
  const add = () => {
    const id = 1 + Math.max(0, ...buttons.map((button) => button.id))
    change({ buttons: [...buttons, { id, type: 'QUICK_REPLY', text: '', value: '', example: '' }] })
  }
  const replace = (changed: ButtonDraft) =>
    change({ buttons: buttons.map((button) => (button.id === changed.id ? changed : button)) })
  const error = errorOf('buttons')
  return (
    <fieldset class="group">
      <legend>Buttons</legend>
      {error && <p class="field-error">{error}</p>}
      {buttons.map((button, index) => (
        <OneButton
          key={button.id}
          button={button}
          label={`Button ${index + 1}`}
          errorOf={errorOf}
          onChange={replace}
          onRemove={() => change({ buttons: buttons.filter(({ id }) => id !== button.id) })}
        />
      ))}
      <div>
        {buttons.length < MOST && (
          <Button icon="plus" onClick={add}>
            Add button
          </Button>
        )}
      </div>
    </fieldset>
  )
}

/** What the value of a button is. */
const valueFields: Readonly<
  Partial<Record<ButtonType, { label: string; hint?: string; placeholder?: string }>>
> = {
  URL: {
    label: 'Address',
    hint: 'May end in {{1}}, which each message fills in.',
    placeholder: 'https://example.com/orders/{{1}}',
  },
  PHONE_NUMBER: { label: 'Number', placeholder: '+15551234567' },
  COPY_CODE: { label: 'Example of the code', hint: 'Each message has its own.', placeholder: 'SAVE20' },
  FLOW: { label: 'Flow', hint: 'The id of a published flow.' },
}

function OneButton({
  button,
  label,
  errorOf,
  onChange,
  onRemove,
}: {
  readonly button: ButtonDraft
  readonly label: string
  errorOf(field: string): string | undefined
  onChange(button: ButtonDraft): void
  onRemove(): void
}) {
  const { id, type, text, value, example } = button
  const valueField = valueFields[type]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a nested fieldset would be drawn as another frame.
    <div class="one-button" role="group" aria-label={label}>
      <div class="columns">
        <Select
          label={`${label} does`}
          value={type}
          options={types}
          onChange={(to) => onChange({ ...button, type: to as ButtonType, value: '' })}
        />
        {hasLabel(type) && (
          <Field
            label="Text"
            maxLength={25}
            value={text}
            error={errorOf(`text ${id}`)}
            onInput={(to) => onChange({ ...button, text: to })}
          />
        )}
        {valueField && (
          <Field
            {...valueField}
            maxLength={2000}
            value={value}
            error={errorOf(`value ${id}`)}
            onInput={(to) => onChange({ ...button, value: to })}
          />
        )}
        {type === 'URL' && hasVariable(value) && (
          <Field
            label="Example of {{1}}"
            value={example}
            error={errorOf(`example ${id}`)}
            onInput={(to) => onChange({ ...button, example: to })}
          />
        )}
      </div>
      <IconButton label={`Remove ${label.toLowerCase()}`} icon="close" onClick={onRemove} />
    </div>
  )
}
