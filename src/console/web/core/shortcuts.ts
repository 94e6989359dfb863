// The keys of the whole console.
import { signal } from '@preact/signals'
import { type Meaning, meaningOf, type Pressed } from './key-meanings.ts'

/** What lies over the page by a key. */
export const overlay = signal<'palette' | 'shortcuts' | undefined>(undefined)

const notTyped = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file'])

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !notTyped.has(target.type)
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select'))
}

function whatIsOver(): Pressed['over'] {
  if (document.querySelector('dialog:modal:not(.drawer), [popover]:popover-open:not([role="status"])'))
    return 'dialog'
  return document.querySelector('dialog:modal') ? 'drawer' : 'page'
}

const pressedBy = (event: KeyboardEvent): Pressed => ({
  key: event.key,
  hasModifier: event.altKey || (isMac ? event.ctrlKey : event.metaKey),
  hasCommand: isMac ? event.metaKey : event.ctrlKey,
  isTyping: isTyping(event.target),
  over: whatIsOver(),
  atMs: event.timeStamp,
})

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

export interface Work {
  openPage(page: string): void
  /** Presses the first action of the page, if it has one. */
  create(): void
}

/** Listens until the returned function is called. */
export function startShortcuts(work: Work): () => void {
  let before: Meaning | undefined
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || event.key === 'Shift') return
    const meaning = meaningOf(pressedBy(event), before)
    before = meaning
    if (!meaning) return
    event.preventDefault()
    if (meaning.type === 'palette' || meaning.type === 'shortcuts') overlay.value = meaning.type
    if (meaning.type === 'page') work.openPage(meaning.page)
    if (meaning.type === 'create') work.create()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
