import { Field } from './field.tsx'

const SHORTEST = 12

/** Says how much is missing while it is typed. */
export const NewPassword = ({
  label,
  value,
  error,
  onInput,
}: {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  onInput(value: string): void
}) => (
  <Field
    label={label}
    type="password"
    name="new-password"
    autocomplete="new-password"
    hint={lengthHint(value)}
    value={value}
    error={error}
    onInput={onInput}
  />
)

/** Length is what makes a password hard to guess; rules about signs make it hard to remember. */
function lengthHint(text: string): string {
  const missing = SHORTEST - [...text].length
  if (text === '') return `At least ${SHORTEST} characters. A few words that only you put together do well.`
  return missing > 0 ? `${missing} more to go.` : 'Long enough.'
}
