// Form inputs with a label, a hint and an error.
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface Common {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
}

function Frame({ id, label, hint, error, children }: Common & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

const described = (
  id: string,
  { hint, error }: Common,
): { 'aria-describedby'?: string; 'aria-invalid'?: true } => {
  const ids = [...(error ? [`${id}-error`] : []), ...(hint ? [`${id}-hint`] : [])]
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error && { 'aria-invalid': true }),
  }
}

interface FieldProps extends Common {
  readonly value: string
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'number' | 'datetime-local'
  readonly name?: string
  readonly autocomplete?: string
  readonly inputMode?: 'numeric' | 'tel'
  readonly placeholder?: string | undefined
  readonly pattern?: string
  readonly maxLength?: number
  readonly min?: number
  readonly max?: number
  readonly required?: boolean
  readonly disabled?: boolean
  /** Takes the focus when its dialog opens, though others come before it. */
  readonly isFirst?: boolean
  onInput(value: string): void
  onBlur?(): void
  onKeyDown?(event: KeyboardEvent): void
}

export function Field({ label, hint, error, value, isFirst, onInput, ...rest }: FieldProps) {
  const id = useId()
  const common = { label, hint, error }
  return (
    <Frame id={id} {...common}>
      <input
        type="text"
        autocomplete="off"
        // Preact types other attributes for each input type, and the type is not known here: hence the cast.
        {...(rest as InputHTMLAttributes<HTMLInputElement>)}
        {...described(id, common)}
        id={id}
        data-first={isFirst}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

/** False where the browser cannot read a number or a time, and says so: the value of that field is empty. */
export function isReadable(form: HTMLFormElement): boolean {
  const unreadable = [...form.querySelectorAll('input')].find(({ validity }) => validity.badInput)
  unreadable?.reportValidity()
  return unreadable === undefined
}

export function TextArea({
  label,
  hint,
  error,
  value,
  rows,
  maxLength,
  onInput,
}: Common & {
  readonly value: string
  readonly rows?: number
  readonly maxLength?: number
  onInput(value: string): void
}) {
  const id = useId()
  const common = { label, hint, error }
  return (
    <Frame id={id} {...common}>
      <textarea
        {...described(id, common)}
        id={id}
        value={value}
        rows={rows ?? 4}
        maxLength={maxLength}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

export interface Option {
  readonly value: string
  readonly label: string
  readonly disabled?: boolean
}

interface SelectProps extends Common {
  readonly value: string
  readonly options: readonly Option[]
  readonly disabled?: boolean
  onChange(value: string): void
}

export function Select({ label, hint, error, value, options, disabled, onChange }: SelectProps) {
  const id = useId()
  const common = { label, hint, error }
  return (
    <Frame id={id} {...common}>
      <select
        {...described(id, common)}
        id={id}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: ComponentChildren
}

/** Checkboxes for any number of options. */
export function Choices<Value extends string>({
  label,
  hint,
  error,
  options,
  chosen,
  onChange,
}: Common & {
  readonly options: readonly Choice<Value>[]
  readonly chosen: readonly Value[]
  onChange(chosen: Value[]): void
}) {
  const id = useId()
  const toggle = (value: Value, isOn: boolean) =>
    onChange(
      options.map((option) => option.value).filter((one) => (one === value ? isOn : chosen.includes(one))),
    )
  return (
    <fieldset class="field choices" {...described(id, { label, hint, error })}>
      <legend>{label}</legend>
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {options.map((option) => (
        <Check
          key={option.value}
          label={option.label}
          hint={option.hint}
          checked={chosen.includes(option.value)}
          onChange={(isOn) => toggle(option.value, isOn)}
        />
      ))}
    </fieldset>
  )
}

export function Check({
  label,
  hint,
  checked,
  disabled,
  isSwitch,
  onChange,
}: {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly checked: boolean
  readonly disabled?: boolean
  /** Shown and announced as a switch. */
  readonly isSwitch?: boolean
  onChange(checked: boolean): void
}) {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        {...(isSwitch && { role: 'switch' })}
        class={isSwitch ? 'switch' : undefined}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
