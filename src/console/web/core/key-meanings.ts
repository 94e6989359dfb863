// What a key means, depending on where it is pressed and after which one.

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
