// Repeats work while a component is mounted: never two runs at once, and none while the window is hidden.
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
      if (document.visibilityState === 'visible') await latest.current()
      if (!isLeft) timer = setTimeout(turn, everyMs)
    }
    timer = setTimeout(turn, everyMs)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [everyMs])
}
