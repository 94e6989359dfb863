// What a page shows without data: an empty state, an error or a loading skeleton; also notes.
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../core/api.ts'
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

export const ErrorState = ({ error, onRetry }: { readonly error: ApiError; onRetry?(): void }) => (
  <div class="empty" role="alert">
    <span class="empty-icon bad">
      <Icon name="warning" />
    </span>
    <h2>{error.code === 'NOT_FOUND' ? 'This is not here' : 'This could not be loaded'}</h2>
    <p>{error.message}</p>
    <RequestId error={error} />
    {onRetry && (
      <div class="empty-action">
        <Button icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      </div>
    )}
  </div>
)

/** An error inside a form. The alert is always rendered, so that screen readers announce a new error. */
export const Problem = ({ error }: { readonly error: ApiError | undefined }) => (
  <div role="alert" class="problem-place">
    {error && (
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

const RequestId = ({ error }: { readonly error: ApiError }) =>
  error.requestId !== undefined && (error.status === 0 || error.status >= 500) ? (
    <p class="hint">
      Request <code>{error.requestId}</code>
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
