import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from './core/api.ts'
import { type Action, useAction } from './core/load.ts'
import { signIn } from './core/session.ts'
import { AuthForm } from './parts/auth-form.tsx'
import { Button } from './parts/button.tsx'
import { Field } from './parts/field.tsx'
import { emptyFactor, type FactorDraft, factorOf, SecondFactor } from './parts/second-factor.tsx'

/** The password was right, but this account also needs its second factor. */
const asksForCode = (error: ApiError | undefined, { text }: FactorDraft): boolean =>
  error?.code === 'UNAUTHORIZED' && error.of('totp') !== undefined && text === ''

/** The step after the password, once the server asks for it. */
export function useSecondStep(action: Action) {
  const [factor, setFactor] = useState(emptyFactor)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!asksForCode(action.error, factor)) return
    setOpen(true)
    action.clear()
  }, [action.error])
  return {
    factor,
    setFactor,
    isOpen,
    /** The fields to send with the password. */
    given: isOpen ? factorOf(factor) : {},
    back() {
      setOpen(false)
      setFactor(emptyFactor)
      action.clear()
    },
  }
}

export function Page() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const action = useAction()
  const second = useSecondStep(action)
  return (
    <AuthForm
      title={second.isOpen ? 'Enter your code' : 'Sign in to Switchboard'}
      submit={second.isOpen ? 'Continue' : 'Sign in'}
      action={action}
      below={
        second.isOpen && (
          <Button look="quiet" onClick={second.back}>
            Back
          </Button>
        )
      }
      onSubmit={() => void action.run(() => signIn({ email, password, ...second.given }))}
    >
      {second.isOpen ? (
        <CodeStep factor={second.factor} onChange={second.setFactor} />
      ) : (
        <PasswordStep {...{ email, password }} onEmail={setEmail} onPassword={setPassword} />
      )}
    </AuthForm>
  )
}

export const PasswordStep = ({
  email,
  password,
  onEmail,
  onPassword,
}: {
  readonly email: string
  readonly password: string
  onEmail(email: string): void
  onPassword(password: string): void
}) => (
  <>
    <Field
      label="E-mail"
      type="email"
      name="email"
      autocomplete="username"
      required
      value={email}
      onInput={onEmail}
    />
    <Field
      label="Password"
      type="password"
      name="password"
      autocomplete="current-password"
      isFirst={email !== ''}
      required
      value={password}
      onInput={onPassword}
    />
  </>
)

export function CodeStep({
  factor,
  onChange,
}: {
  readonly factor: FactorDraft
  onChange(factor: FactorDraft): void
}) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => frame.current?.querySelector('input')?.focus(), [factor.kind])
  return (
    <div ref={frame} class="stack">
      <SecondFactor draft={factor} onChange={onChange} />
    </div>
  )
}
