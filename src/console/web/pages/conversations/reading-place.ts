// Where somebody reads in a thread. What comes at either end moves nothing that is in view.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const NEAR_END = 60
const FAR_FROM_END = 400

interface Ends {
  readonly newest: string | undefined
  readonly oldest: string | undefined
  /** The newest that was written here: whoever sends looks at it. */
  readonly ownNewest: string | undefined
  readonly wanted: string | undefined
}

interface Known {
  isAtEnd: boolean
  height: number
  newest?: string | undefined
  oldest?: string | undefined
  ownNewest?: string | undefined
}

export function useReadingPlace({ newest, oldest, ownNewest, wanted }: Ends) {
  const frame = useRef<HTMLDivElement>(null)
  const [hasNews, setNews] = useState(false)
  const [isFar, setFar] = useState(false)
  const known = useRef<Known>({ isAtEnd: true, height: 0 })
  const toEnd = () => frame.current?.scrollTo(0, frame.current.scrollHeight)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const before = known.current
    const { scrollHeight: height } = element
    const isSending = ownNewest !== undefined && ownNewest !== before.ownNewest
    if (before.isAtEnd || isSending) toEnd()
    else if (before.oldest !== oldest) element.scrollTop += height - before.height
    else if (before.newest !== newest) setNews(true)
    known.current = { isAtEnd: before.isAtEnd || isSending, height, newest, oldest, ownNewest }
  })
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const sought = element.querySelector('[aria-current]')
    const line = element.querySelector('.new-line')
    // Within the frame alone; scrollIntoView would scroll what is around it too.
    const centre = (inner: DOMRect, share: number) => {
      const outer = element.getBoundingClientRect()
      element.scrollTop += inner.top + inner.height / 2 - (outer.top + outer.height * share)
    }
    if (sought) {
      known.current.isAtEnd = false
      centre(sought.getBoundingClientRect(), 1 / 2)
    } else if (line && line.getBoundingClientRect().top < element.getBoundingClientRect().top) {
      known.current.isAtEnd = false
      centre(line.getBoundingClientRect(), 1 / 5)
    }
  }, [wanted])
  // A narrower window, a longer draft or an opened status must not move the end out of view.
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const resized = new ResizeObserver(() => {
      if (known.current.isAtEnd) toEnd()
    })
    resized.observe(element)
    return () => resized.disconnect()
  }, [])
  const onScroll = () => {
    const element = frame.current
    if (!element) return
    const away = element.scrollHeight - element.scrollTop - element.clientHeight
    known.current.isAtEnd = away < NEAR_END
    setFar(away > FAR_FROM_END)
    if (away < NEAR_END) setNews(false)
  }
  return { frame, hasNews, isAway: hasNews || isFar, toEnd, onScroll }
}
