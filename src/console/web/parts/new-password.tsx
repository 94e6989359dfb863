import { Field } from './field.tsx'

const SHORTEST = 12

/** Shows how many characters are missing while the operator types. */
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

/** Only the length counts: it makes guessing hard, while rules about characters make remembering hard. */
function lengthHint(text: string): string {
  const missing = SHORTEST - [...text].length
  if (text === '') return `At least ${SHORTEST} characters. A few words that only you put together do well.`
  return missing > 0 ? `${missing} more to go.` : 'Long enough.'
}
