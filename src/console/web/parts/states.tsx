// What a page shows without data: an empty state, an error or a loading skeleton; also notes.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../core/api.ts'
import { useRepeat } from '../core/repeat.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** `children` tell what to do next. */
export const EmptyState = ({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
}) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} />
    </span>
    <h2>{title}</h2>
    <p>{children}</p>
    {action && <div class="empty-action">{action}</div>}
  </div>
)

/** What ends without anybody doing something. */
const passing = ['UNAVAILABLE', 'UNREACHABLE', 'OVERLOADED']
const RETRY_MS = 5_000

export function ErrorState({ error, onRetry }: { readonly error: ApiError; onRetry?(): void }) {
  const isRetrying = onRetry !== undefined && passing.includes(error.code)
  useRepeat(isRetrying ? RETRY_MS : undefined, () => onRetry?.())
  return (
    <div class="empty" role="alert">
      <span class="empty-icon bad">
        <Icon name="warning" />
      </span>
      <h2>{error.code === 'NOT_FOUND' ? 'Not found' : 'This could not be loaded'}</h2>
      <p>{isRetrying ? `${firstClause(error.message)}. Retrying…` : error.message}</p>
      <RequestId error={error} />
      {onRetry && error.code !== 'NOT_FOUND' && (
        <div class="empty-action">
          <Button icon="refresh" onClick={onRetry}>
            {isRetrying ? 'Try now' : 'Try again'}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Without the advice to try again: that is being done. */
const firstClause = (message: string): string => /^[^.;]+/.exec(message)?.[0] ?? message

/**
 * An error inside a form. The alert is always rendered, so that screen readers announce a new error. What stands beside
 * a field is not said twice: then the first such field takes the focus.
 */
export function Problem({
  error,
  isOfField = false,
}: {
  readonly error: ApiError | undefined
  /** The form shows it beside a field, though it names none. */
  readonly isOfField?: boolean | undefined
}) {
  const place = useRef<HTMLDivElement>(null)
  const [isBeside, setBeside] = useState(false)
  useLayoutEffect(() => {
    const form = place.current?.closest('form')
    const wrong =
      isOfField || error?.isOfFields ? form?.querySelector<HTMLElement>('[aria-invalid="true"]') : undefined
    setBeside(wrong != null)
    wrong?.focus()
  }, [error])
  return (
    <div ref={place} role="alert" class="problem-place">
      {error && !isBeside && (
        <div class="problem">
          <Icon name="warning" />
          <div>
            <p>{error.message}</p>
            <RequestId error={error} />
          </div>
        </div>
      )}
    </div>
  )
}

const RequestId = ({ error }: { readonly error: ApiError }) =>
  error.requestId !== undefined && (error.status === 0 || error.status >= 500) ? (
    <p class="hint">
      <code>{error.requestId}</code>
    </p>
  ) : null

/** Reserves the space of a list until it is loaded. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => (
      <span key={index} />
    ))}
  </div>
)

export const Note = ({
  tone = 'info',
  children,
}: {
  readonly tone?: 'info' | 'warn' | 'bad' | 'good'
  readonly children: ComponentChildren
}) => (
  <div class={`note ${tone}`}>
    <Icon name={tone === 'good' ? 'check' : 'warning'} />
    <div>{children}</div>
  </div>
)
