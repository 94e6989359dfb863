import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from './foundation/api.ts'
import { useAction } from './foundation/load.ts'
import { signIn } from './foundation/session.ts'
import { Button } from './parts/button.tsx'
import { DoorForm } from './parts/door-form.tsx'
import { Field } from './parts/field.tsx'
import { emptyFactor, type FactorDraft, factorOf, SecondFactor } from './parts/second-factor.tsx'

/** The password was right, and this account has a second factor. */
export const asksForCode = (error: ApiError | undefined, { text }: FactorDraft): boolean =>
  error?.code === 'UNAUTHORIZED' && error.of('totp') !== undefined && text === ''

export function SignIn() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [factor, setFactor] = useState(emptyFactor)
  const [hasSecondStep, setSecondStep] = useState(false)
  const action = useAction()
  useEffect(() => {
    if (asksForCode(action.error, factor)) {
      setSecondStep(true)
      action.clear()
    }
  }, [action.error])
  const back = () => {
    setSecondStep(false)
    setFactor(emptyFactor)
    action.clear()
  }
  return (
    <main class="alone">
      <DoorForm
        title={hasSecondStep ? 'Enter your code' : 'Sign in to Switchboard'}
        submit={hasSecondStep ? 'Continue' : 'Sign in'}
        action={action}
        below={
          hasSecondStep && (
            <Button look="quiet" onClick={back}>
              Back
            </Button>
          )
        }
        onSubmit={() =>
          void action.run(() => signIn({ email, password, ...(hasSecondStep && factorOf(factor)) }))
        }
      >
        {hasSecondStep ? (
          <CodeStep factor={factor} onChange={setFactor} />
        ) : (
          <PasswordStep {...{ email, password }} onEmail={setEmail} onPassword={setPassword} />
        )}
      </DoorForm>
    </main>
  )
}

const PasswordStep = ({
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
