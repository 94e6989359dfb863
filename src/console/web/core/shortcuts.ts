// The keys of the whole console: what a key means, depending on where it is pressed.
import { signal } from '@preact/signals'

/** What lies over the page by a key. */
export const overlay = signal<'palette' | 'shortcuts' | undefined>(undefined)

/** `g` and one of these leads to the page. */
export const pageKeys: Readonly<Record<string, string>> = {
  overview: 'o',
  conversations: 'c',
  messages: 'm',
  calls: 'l',
  campaigns: 'p',
  templates: 't',
  numbers: 'n',
  keys: 'k',
  endpoints: 'e',
  deliveries: 'd',
  inbound: 'u',
  members: 'b',
  audit: 'a',
  settings: 's',
  account: 'y',
}

const pagesByKey = new Map(Object.entries(pageKeys).map(([page, key]) => [key, page]))

export interface Pressed {
  readonly key: string
  readonly hasModifier: boolean
  /** Ctrl, or the command key of a Mac. */
  readonly hasCommand: boolean
  readonly isTyping: boolean
  /** A dialog or a menu is open, or a drawer, beside which one can search. */
  readonly over: 'page' | 'drawer' | 'dialog'
  readonly atMs: number
}

export type Meaning =
  | { readonly type: 'palette' | 'shortcuts' | 'create' }
  /** The first key of two. */
  | { readonly type: 'go'; readonly atMs: number }
  | { readonly type: 'page'; readonly page: string }

/** For so long the second key is waited for. */
const SECOND_KEY_MS = 1_500

/** What a key means after the one before; undefined: nothing of ours. */
export function meaningOf(pressed: Pressed, before: Meaning | undefined): Meaning | undefined {
  const { key, over } = pressed
  if (pressed.hasCommand && key.toLowerCase() === 'k')
    return over === 'dialog' ? undefined : { type: 'palette' }
  if (pressed.hasModifier || pressed.hasCommand || pressed.isTyping || over !== 'page') return undefined
  if (before?.type === 'go' && pressed.atMs - before.atMs <= SECOND_KEY_MS) {
    const page = pagesByKey.get(key)
    return page === undefined ? undefined : { type: 'page', page }
  }
  switch (key) {
    case '/':
      return { type: 'palette' }
    case '?':
      return { type: 'shortcuts' }
    case 'c':
      return { type: 'create' }
    case 'g':
      return { type: 'go', atMs: pressed.atMs }
    default:
      return undefined
  }
}

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
