// Which of the results is marked, and what Enter opens.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Entry } from './entries.ts'
import { remember } from './recent.ts'
import type { Search } from './use-search.ts'

export const optionId = (entry: Entry) => `palette-${entry.id}`

export function useChoice(text: string, entries: readonly Entry[], search: Search) {
  const [at, setAt] = useState(0)
  const active = entries[Math.min(at, entries.length - 1)]
  const isAwaited = useRef(false)
  const isChosen = useRef(false)
  useEffect(() => setAt(0), [text])
  useEffect(() => {
    if (search.isBusy || !isAwaited.current) return
    isAwaited.current = false
    if (entries[0]) take(entries[0], false)
  }, [search.isBusy])
  useLayoutEffect(() => {
    if (active) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  }, [active?.id])
  const onEnter = (inNewTab: boolean) => {
    // Until the answer comes, the server's results are those of what was typed before.
    const isOld = search.isBusy && active !== undefined && search.results.includes(active)
    if (active && (isChosen.current || !isOld)) take(active, inNewTab)
    // Faster than the answer: the first result is opened when it comes.
    else isAwaited.current = search.isBusy
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event)
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      isChosen.current = true
      setAt((before) => (Math.min(before, entries.length - 1) + step + entries.length) % entries.length)
    }
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    onEnter(event.ctrlKey || event.metaKey)
  }
  const onType = () => {
    isAwaited.current = false
    isChosen.current = false
  }
  return { active, onOver: setAt, onKeyDown, onType }
}

function take(entry: Entry, inNewTab: boolean): void {
  remember(entry)
  if (entry.href !== undefined && inNewTab) return void window.open(entry.href, '_blank', 'noopener')
  // As a click on it, so that the way of all links is taken, and questions about unsaved work are asked.
  document.getElementById(optionId(entry))?.click()
}

function stepOf({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): 1 | -1 | undefined {
  if (altKey || metaKey) return undefined
  if (key === 'ArrowDown' || (ctrlKey && key === 'n')) return 1
  return key === 'ArrowUp' || (ctrlKey && key === 'p') ? -1 : undefined
}
