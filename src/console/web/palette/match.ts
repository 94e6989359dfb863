// Which pages and actions a text means: each of its words must begin a word of theirs.

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

const wordsIn = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

interface Sought {
  readonly title: string
  readonly words?: string
}

/** Those that fit, in their order; those whose title fits before those that only have such a word. */
export function matching<Entry extends Sought>(entries: readonly Entry[], text: string): readonly Entry[] {
  const typed = wordsIn(text)
  if (typed.length === 0) return []
  const fits = (given: string): boolean => {
    const words = wordsIn(given)
    return typed.every((one) => words.some((word) => word.startsWith(one)))
  }
  const byTitle = entries.filter(({ title }) => fits(title))
  // One letter begins too many words.
  const byWord =
    plain(text).trim().length < 2
      ? []
      : entries.filter((entry) => !byTitle.includes(entry) && fits(`${entry.title} ${entry.words ?? ''}`))
  return [...byTitle, ...byWord]
}
