import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from './foundation/api.ts'
import { useAction } from './foundation/load.ts'
import { signIn } from './foundation/session.ts'
import { Button } from './parts/button.tsx'
import { Field } from './parts/field.tsx'
import { Mark } from './parts/mark.tsx'
import { Problem } from './parts/states.tsx'

const asksForCode = (error: ApiError | undefined, code: string): boolean =>
  error?.code === 'UNAUTHORIZED' && error.of('totp') !== undefined && code === ''

export function SignIn() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [hasSecondStep, setSecondStep] = useState(false)
  const action = useAction()
  const wait = useCountdown(action.error)
  useEffect(() => {
    document.title = 'Sign in · Switchboard'
  }, [])
  useEffect(() => {
    if (asksForCode(action.error, code)) {
      setSecondStep(true)
      action.clear()
    }
  }, [action.error])
  const submit = () =>
    void action.run(() =>
      signIn({ email, password, ...(hasSecondStep && { totp: code.replaceAll(' ', '') }) }),
    )
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
          <CodeStep code={code} onCode={setCode} />
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
              setCode('')
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

function CodeStep({ code, onCode }: { readonly code: string; onCode(code: string): void }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => frame.current?.querySelector('input')?.focus(), [])
  return (
    <div ref={frame}>
      <Field
        label="Six-digit code"
        hint="From the authenticator app of this account."
        name="totp"
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="[0-9 ]{6,7}"
        required
        value={code}
        onInput={onCode}
      />
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
