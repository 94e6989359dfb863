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

/**
 * The length makes guessing hard, while rules about characters make remembering hard. Whether a password is a common
 * one, the server says.
 */
function lengthHint(text: string): string {
  const missing = SHORTEST - [...text].length
  if (text === '') return `At least ${SHORTEST} characters. A few words that only you put together do well.`
  return missing > 0 ? `${missing} more to go.` : 'Long enough.'
}
