// The form for signing in and for accepting an invitation. After too many failures it waits.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../core/api.ts'
import type { Action } from '../core/load.ts'
import { Button } from './button.tsx'
import { Problem } from './states.tsx'

export function AuthForm({
  title,
  submit,
  action,
  children,
  below,
  onSubmit,
}: {
  readonly title: string
  readonly submit: string
  readonly action: Action
  readonly children: ComponentChildren
  /** Below the button. */
  readonly below?: ComponentChildren
  onSubmit(): void
}) {
  const wait = useCountdown(action.error)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input:not([type="hidden"])')?.focus(), [])
  useEffect(() => {
    document.title = `${title} · Switchboard`
  }, [title])
  return (
    <form
      ref={form}
      class="sign-in card"
      onSubmit={(event) => {
        event.preventDefault()
        if (wait === 0) onSubmit()
      }}
    >
      <h1>{title}</h1>
      {children}
      <AuthProblem wait={wait} error={action.error} />
      <Button type="submit" look="primary" isBusy={action.isBusy} disabled={wait > 0}>
        {submit}
      </Button>
      {below}
    </form>
  )
}

export const AuthProblem = ({
  wait,
  error,
}: {
  readonly wait: number
  readonly error: ApiError | undefined
}) =>
  wait > 0 ? (
    <p class="note warn" role="status">
      Too many failed attempts. Try again in {wait} s.
    </p>
  ) : (
    <Problem error={error} />
  )

/** The seconds left of the wait that the server asked for. */
export function useCountdown(error: ApiError | undefined): number {
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
