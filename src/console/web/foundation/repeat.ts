// Work that is done again and again while somebody looks: never twice at once, and not in a window that is hidden.
import { useEffect, useRef } from 'preact/hooks'

/** Undefined does it no more. */
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
