// The keys of the inbox. In a field, a menu or a dialog they have their usual meaning.
import { useEffect, useRef } from 'preact/hooks'
import { navigate, place } from '../../core/router.ts'
import { hrefOfConversation, isDetailed } from './address.ts'

const rows = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('.conversations a')]

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable], dialog, [popover], audio, video') !== null

/** The row that has the focus, or that of the open conversation. */
const placeIn = (all: readonly HTMLAnchorElement[]): number => {
  const focused = all.indexOf(document.activeElement as HTMLAnchorElement)
  return focused >= 0 ? focused : all.findIndex((row) => row.hasAttribute('aria-current'))
}

function step(by: 1 | -1): void {
  const all = rows()
  const next = all[Math.min(all.length - 1, Math.max(0, placeIn(all) + by))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** From the box to the messages, from the details to the thread, from the thread to its row in the list. */
function goBack(id: string | undefined): void {
  if (isDetailed()) return navigate(hrefOfConversation(id))
  if (id === undefined) return
  leftPath = place.value.path
  navigate(hrefOfConversation())
}

/** The thread that was left by the keyboard. */
let leftPath: string | undefined

/** Gives the focus to the row of the thread that was left; after the heading of the page, which takes it too. */
export function useReturn(currentId: string | undefined): void {
  useEffect(() => {
    if (currentId !== undefined || leftPath === undefined) return
    const path = leftPath
    leftPath = undefined
    const row = rows().find(({ pathname }) => pathname === path)
    row?.focus()
  }, [currentId])
}

const isArrow = (event: KeyboardEvent): boolean =>
  event.target instanceof Element && event.target.closest('.conversations') !== null

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey

export function useInboxKeys(id: string | undefined): void {
  const current = useRef(id)
  current.current = id
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const work = event.defaultPrevented || hasModifier(event) ? undefined : workOf(event, current.current)
      if (!work) return
      event.preventDefault()
      work()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** Only from the box of the reply: Escape in a dialog closes the dialog. */
const isInBox = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement && target.closest('.reply') !== null

function workOf(event: KeyboardEvent, id: string | undefined): (() => void) | undefined {
  if (event.key === 'Escape' && isInBox(event.target)) return press('.messages', (element) => element.focus())
  return isTyping(event.target) ? undefined : workOfKey(event, id)
}

function workOfKey(event: KeyboardEvent, id: string | undefined): (() => void) | undefined {
  switch (event.key) {
    case 'j':
      return () => step(1)
    case 'k':
      return () => step(-1)
    case 'ArrowDown':
      return isArrow(event) ? () => step(1) : undefined
    case 'ArrowUp':
      return isArrow(event) ? () => step(-1) : undefined
    case 'Escape':
      return id === undefined ? undefined : () => goBack(id)
    case 'r':
      return press('.reply textarea, .reply.closed button', (element) => element.focus())
    case 'u':
      return press('[data-key="read"]', (element) => element.click())
    default:
      return undefined
  }
}

function press(selector: string, work: (element: HTMLElement) => void): (() => void) | undefined {
  const element = document.querySelector<HTMLElement>(selector)
  return element ? () => work(element) : undefined
}
