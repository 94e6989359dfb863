// What the server says of an error as a sentence for people. Most of its messages are written for programs: those of a
// field go on after its name ("must be at most 100 characters long"), others begin without a capital.

/** A name of the API, such as endpointId or allowedIps.0, keeps its letters. */
const isName = (word: string): boolean => /[a-z][A-Z]|[._\d]/.test(word)

const capital = (text: string): string =>
  isName(text.split(' ')[0] ?? '') ? text : text.charAt(0).toUpperCase() + text.slice(1)

/** A whole sentence, as over a form or a page. */
export function sentenceOf(message: string): string {
  const text = capital(message.trim())
  return /[.!?…:]$/.test(text) ? text : `${text}.`
}

const isEmpty = /^(is required|must not be empty|missing)$/

const instructions: readonly (readonly [RegExp, string])[] = [
  [/^unexpected$/, 'The template has no such variable'],
  [/^must (?:be|have) (.*characters)(?: long)?$/, 'Use $1'],
  [/^must be one of (.*)$/, 'Choose one of $1'],
  [/^must be (.*)$/, 'Enter $1'],
  [/^must (?!not )(.*)$/, '$1'],
]

/** What an empty field asks for, by the last part of its path. */
const wanted: Readonly<Record<string, string>> = {
  name: 'Enter a name',
  email: 'Enter an e-mail address',
  password: 'Enter a password',
  url: 'Enter an address',
  to: 'Enter a number',
  language: 'Choose a language',
}

/** What to do, beside a field: without a full stop, as it stands alone. */
export function instructionOf(message: string, path = ''): string {
  const text = message.trim()
  if (isEmpty.test(text)) return wanted[path.split('.').at(-1) ?? ''] ?? 'Enter a value'
  const [pattern, instead] = instructions.find(([one]) => one.test(text)) ?? []
  const said = pattern && instead !== undefined ? text.replace(pattern, instead) : text
  return capital(said).replace(/(?<![.…])\.$/, '')
}

/** Where the code says more to a person than the message, which tells a program what to do next. */
const byCode: Readonly<Record<string, string>> = {
  INTERNAL: 'Something went wrong on our side. If it continues, send support this ID:',
  RATE_LIMITED: 'Too many attempts. Try again in a moment.',
  OVERLOADED: 'Too much is going on at once. Try again in a moment.',
}

export const messageOf = (code: string, message: string): string => byCode[code] ?? sentenceOf(message)
