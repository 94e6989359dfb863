import { useEffect, useState } from 'preact/hooks'
import { sayError } from './toasts.ts'

/** A module that is fetched when it is first shown. `onFailure`: what was to be shown cannot be. */
export function useLater<Module extends object>(
  load: () => Promise<Module>,
  onFailure: () => void,
): Module | undefined {
  const [loaded, setLoaded] = useState<Module>()
  useEffect(() => {
    load().then(setLoaded, (error: unknown) => {
      sayError(error)
      onFailure()
    })
  }, [])
  return loaded
}
