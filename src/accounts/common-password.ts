// Passwords that guessers try first. The list is large, so it is loaded when the first new password is chosen.

/**
 * Whether a password is in the list of common ones: as it is, without the few digits and marks that lengthen a word, or
 * several times in a row.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  list ??= load()
  const common = await list
  const text = password.normalize('NFKC').toLowerCase()
  const letters = text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  const word = text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const forms = [text, letters, ...(text.length - word.length <= mostAround ? [word] : [])]
  return forms.some((form) => common.has(form) || isRepeated(form, common))
}

/** More digits than these are no decoration, but a secret of their own. */
const mostAround = 8

/** What repeats after fewer characters than these is guessed, listed or not. */
const shortestUnit = 5

let list: Promise<ReadonlySet<string>> | undefined

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
}

/** `abcabcabc` repeats `abc`. */
function isRepeated(text: string, common: ReadonlySet<string>): boolean {
  const length = (text + text).indexOf(text, 1)
  return length > 0 && length < text.length && (length < shortestUnit || common.has(text.slice(0, length)))
}
