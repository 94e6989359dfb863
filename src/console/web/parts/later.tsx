// A part of a page that is large and rarely opened: its script is fetched when it is shown.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../core/api.ts'
import { ErrorState, Skeleton } from './states.tsx'

interface Props<Given> {
  /** Always the same function. */
  load(): Promise<ComponentType<Given>>
  readonly given: Given
}

export function Later<Given extends object>({ load, given }: Props<Given>) {
  const [loaded, setLoaded] = useState<{ readonly Part: ComponentType<Given> }>()
  const [error, setError] = useState<ApiError>()
  const begin = () => {
    setError(undefined)
    load().then(
      (Part) => setLoaded({ Part }),
      (failure: unknown) => setError(toApiError(failure)),
    )
  }
  useEffect(begin, [load])
  if (error) return <ErrorState error={error} onRetry={begin} />
  return loaded ? <loaded.Part {...given} /> : <Skeleton rows={3} />
}
