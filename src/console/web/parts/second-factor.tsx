// The field for the second factor: the authenticator app's code, or a recovery code if the app is lost.
import type { Factor } from '../core/session.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'

export interface FactorDraft {
  readonly kind: 'totp' | 'recoveryCode'
  readonly text: string
}

export const emptyFactor: FactorDraft = { kind: 'totp', text: '' }

export const factorOf = ({ kind, text }: FactorDraft): Factor =>
  kind === 'totp' ? { totp: text.replaceAll(' ', '') } : { recoveryCode: text.trim() }

export function SecondFactor({
  draft: { kind, text },
  error,
  onChange,
}: {
  readonly draft: FactorDraft
  readonly error?: string | undefined
  onChange(draft: FactorDraft): void
}) {
  const change = (to: string) => onChange({ kind, text: to })
  return (
    <>
      {kind === 'totp' ? (
        <Field
          key="totp"
          label="Six-digit code"
          hint="From the authenticator app of this account."
          name="totp"
          inputMode="numeric"
          autocomplete="one-time-code"
          pattern="[0-9 ]{6,7}"
          required
          value={text}
          error={error}
          onInput={change}
        />
      ) : (
        <Field
          key="recoveryCode"
          label="Recovery code"
          hint="One of those that you were shown when you turned the second factor on. Each is good once."
          name="recovery-code"
          placeholder="XXXX-XXXX-XXXX-XXXX"
          maxLength={64}
          required
          value={text}
          error={error}
          onInput={change}
        />
      )}
      <div>
        <Button
          look="link"
          onClick={() => onChange({ kind: kind === 'totp' ? 'recoveryCode' : 'totp', text: '' })}
        >
          {kind === 'totp' ? 'Use a recovery code instead' : 'Use the app’s code instead'}
        </Button>
      </div>
    </>
  )
}
