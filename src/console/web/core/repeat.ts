// Repeats work while a component is mounted: never two runs at once, and none while the window is hidden.
// Work that fails is repeated too.
import { useEffect, useRef } from 'preact/hooks'

/** Does nothing while `everyMs` is undefined. */
export function useRepeat(everyMs: number | undefined, work: () => unknown): void {
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    if (everyMs === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLeft = false
    const turn = async () => {
      try {
        if (document.visibilityState === 'visible') await latest.current()
      } finally {
        if (!isLeft) timer = setTimeout(turn, everyMs)
      }
    }
    timer = setTimeout(turn, everyMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [everyMs])
}
