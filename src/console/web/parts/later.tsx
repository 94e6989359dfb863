import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../core/api.ts'
import { sayError } from '../core/toasts.ts'
import { ErrorState, Skeleton } from './states.tsx'

/**
 * A part that few need: its script is fetched when it is first shown, and kept. A dialog shows nothing meanwhile, and
 * closes with a notice if that fails, so that opening it again tries again. `isPage` shows both in its place.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isPage = false } = {},
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return function Later(props: Props & { onClose?(): void }) {
    const [, setIsLoaded] = useState(known !== undefined)
    const [error, setError] = useState<ApiError>()
    const begin = () => {
      if (known) return
      setError(undefined)
      load().then(
        (loaded) => {
          known = loaded
          setIsLoaded(true)
        },
        (failure: unknown) => {
          if (isPage) return setError(toApiError(failure))
          sayError(failure)
          props.onClose?.()
        },
      )
    }
    useEffect(begin, [])
    if (known) return <Shown as={known} props={props} />
    if (!isPage) return null
    return error ? <ErrorState error={error} onRetry={begin} /> : <Skeleton rows={3} />
  }
}

const Shown = <Props extends object>({
  as: Component,
  props,
}: {
  readonly as: ComponentType<Props>
  readonly props: Props
}) => <Component {...props} />
