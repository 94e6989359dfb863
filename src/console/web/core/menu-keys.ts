// Which item of a list a key leads to: arrows, Home and End, and the first letters of an item.

const TYPING_MS = 700

export interface Typed {
  readonly text: string
  readonly at: number
}

export const nothingTyped: Typed = { text: '', at: 0 }

/** Whether a letter now would continue the search. */
export const isTyping = ({ text, at }: Typed, now: number): boolean => text !== '' && now - at < TYPING_MS

/** Letters in quick succession are one search. */
export const typedAfter = (before: Typed, letter: string, at: number): Typed => ({
  text: isTyping(before, at) ? before.text + letter : letter,
  at,
})

/** `at` is -1 while no item has the focus. */
export function itemAfterKey(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count
    case 'ArrowUp':
      return at <= 0 ? count - 1 : at - 1
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** The next item that starts with the text. The same letter again goes on to the item after. */
export function itemByText(text: string, at: number, labels: readonly string[]): number | undefined {
  const isOneLetter = new Set(text.toLowerCase()).size === 1
  const wanted = (isOneLetter ? text.charAt(0) : text).toLowerCase()
  const from = isOneLetter ? at + 1 : Math.max(at, 0)
  const inOrder = labels.map((_, step) => (from + step) % labels.length)
  return inOrder.find((index) => labels[index]?.toLowerCase().startsWith(wanted))
}
