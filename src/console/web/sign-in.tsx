import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from './foundation/api.ts'
import { useAction } from './foundation/load.ts'
import { signIn } from './foundation/session.ts'
import { Button } from './parts/button.tsx'
import { Field } from './parts/field.tsx'
import { Mark } from './parts/mark.tsx'
import { emptyFactor, type FactorDraft, factorOf, SecondFactor } from './parts/second-factor.tsx'
import { Problem } from './parts/states.tsx'

const asksForCode = (error: ApiError | undefined, { text }: FactorDraft): boolean =>
  error?.code === 'UNAUTHORIZED' && error.of('totp') !== undefined && text === ''

export function SignIn() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [factor, setFactor] = useState(emptyFactor)
  const [hasSecondStep, setSecondStep] = useState(false)
  const action = useAction()
  const wait = useCountdown(action.error)
  useEffect(() => {
    document.title = 'Sign in · Switchboard'
  }, [])
  useEffect(() => {
    if (asksForCode(action.error, factor)) {
      setSecondStep(true)
      action.clear()
    }
  }, [action.error])
  const submit = () =>
    void action.run(() => signIn({ email, password, ...(hasSecondStep && factorOf(factor)) }))
  return (
    <main class="alone">
      <form
        class="sign-in card"
        onSubmit={(event) => {
          event.preventDefault()
          if (wait === 0) submit()
        }}
      >
        <Mark />
        <h1>{hasSecondStep ? 'Enter your code' : 'Sign in to Switchboard'}</h1>
        {hasSecondStep ? (
          <CodeStep factor={factor} onChange={setFactor} />
        ) : (
          <PasswordStep {...{ email, password }} onEmail={setEmail} onPassword={setPassword} />
        )}
        {wait > 0 ? (
          <p class="note warn" role="status">
            Too many failed attempts. Try again in {wait} s.
          </p>
        ) : (
          <Problem error={action.error} />
        )}
        <Button type="submit" look="primary" isBusy={action.isBusy} disabled={wait > 0}>
          {hasSecondStep ? 'Continue' : 'Sign in'}
        </Button>
        {hasSecondStep && (
          <Button
            look="quiet"
            onClick={() => {
              setSecondStep(false)
              setFactor(emptyFactor)
              action.clear()
            }}
          >
            Back
          </Button>
        )}
      </form>
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

function CodeStep({
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

/** Seconds that are left of what the server told us to wait. */
function useCountdown(error: ApiError | undefined): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const until =
      performance.now() + (error?.code === 'RATE_LIMITED' ? (error.retryAfterSeconds ?? 12) : 0) * 1000
    const tick = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)))
    tick()
    const timer = setInterval(tick, 250)
    return () => clearInterval(timer)
  }, [error])
  return left
}
