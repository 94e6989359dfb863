import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * For work that ends later than it was begun: calls `work` as it was last rendered, which knows what has changed since.
 * Does nothing once the component is gone, because then its result belongs to nothing that is shown.
 */
export function useLatest<Given extends readonly unknown[]>(
  work: (...given: Given) => void,
): (...given: Given) => void {
  const latest = useRef<typeof work | undefined>(undefined)
  latest.current = work
  useLayoutEffect(
    () => () => {
      latest.current = undefined
    },
    [],
  )
  return (...given) => latest.current?.(...given)
}
