// What somebody may mean who types a text: an id, a phone number in any spelling, a name, a key.
import { isUserId, spellingsOf } from '../shared/address.ts'
import { type IdRange, idRange } from '../shared/ids.ts'

export interface PhonePart {
  /** The first digits of the number, in international form: as typed, and other ways to write that number. */
  readonly leads: readonly string[]
  /** The last digits, as typed and without the zeros of a call within the country; none behind a plus. */
  readonly ends: readonly string[]
}

export interface SearchQuery {
  /** Trimmed. */
  readonly text: string
  readonly id: IdRange | undefined
  readonly phone: PhonePart | undefined
  readonly userId: string | undefined
  /** For names. Without the @ of a username. */
  readonly name: string | undefined
  /** One word, as keys and ids of the provider are. */
  readonly token: string | undefined
}

export const searchLimits = { length: 200, leastDigits: 3, leastToken: 3 } as const

const hasLetterOrDigit = /[\p{L}\p{N}]/u

export function searchQuery(given: string): SearchQuery {
  // What is copied out of a log or a JSON often has its quotes.
  const text = given.trim().replace(/^["'`]+|["'`,;]+$/g, '')
  const id = idRange(text)
  if (id) return { text, id, phone: undefined, userId: undefined, name: undefined, token: text }
  return {
    text,
    id,
    phone: phonePart(text),
    userId: isUserId(text) ? text : undefined,
    name: hasLetterOrDigit.test(text) ? text.replace(/^@/, '') : undefined,
    token: text.length >= searchLimits.leastToken && !/\s/.test(text) ? text : undefined,
  }
}

const isLongEnough = (digits: string) => digits.length >= searchLimits.leastDigits
const phoneShape = /^[+(\s]*\d[\d\s()./\u2010-\u2015-]*$/

/** `+49 (0) 151`, `0049151`, `0151 …` and the last four digits alone are all of one number. */
export function phonePart(text: string): PhonePart | undefined {
  if (!phoneShape.test(text)) return undefined
  const typed = text.replace(/\(0\)/, '')
  const digits = typed.replace(/\D/g, '')
  const lead = digits.replace(/^00/, '')
  const leads = [lead, ...spellingsOf(lead)].filter(isLongEnough)
  const ends = typed.trimStart().startsWith('+') ? [] : new Set([digits, digits.replace(/^0+/, '')])
  return digits.length < searchLimits.leastDigits
    ? undefined
    : { leads, ends: [...ends].filter(isLongEnough) }
}
