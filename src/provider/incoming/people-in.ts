// Whom an element concerns: how the people are addressed who are named somewhere in it. An erasure finds by these what
// was made into no message and no call.
import { toDigits } from '../../shared/phone.ts'
import { storableStart } from '../../shared/storable-text.ts'

export interface People {
  /** Numbers as digits, and user ids. */
  readonly addresses: readonly string[]
  /** False: more people than an element is kept with, or some who are named too deep to be found. */
  readonly areAll: boolean
}

const addressNames = new Set([
  ...['from', 'to', 'wa_id', 'recipient', 'recipient_id', 'customer_identity_key'],
  // Not the `display_phone_number`, which is the account's own.
  ...['phone', 'phone_number'],
])
const isAddress = (name: string): boolean => addressNames.has(name) || /(^|_)(user_id|wa_id)$/.test(name)

const maxDepth = 32
/** Of one element. The column is searched without an index. */
export const maxPeople = 1_000

export function peopleIn(given: unknown): People {
  const walk: Walk = { found: new Set(), isDeeper: false }
  visit(walk, given, { depth: 0, isOfAddress: false })
  return { ...bounded(walk.found), areAll: !walk.isDeeper && walk.found.size <= maxPeople }
}

interface Walk {
  readonly found: Set<string>
  isDeeper: boolean
}

/** `isOfAddress`: a changed id stands as an object, { previous, current }. */
function visit(
  walk: Walk,
  value: unknown,
  at: { readonly depth: number; readonly isOfAddress: boolean },
): void {
  if (typeof value === 'object' && value !== null) return visitAll(walk, value, at)
  if (at.isOfAddress && (typeof value === 'string' || typeof value === 'number'))
    add(walk.found, String(value))
}

function visitAll(walk: Walk, value: object, { depth, isOfAddress }: Parameters<typeof visit>[2]): void {
  if (depth > maxDepth) walk.isDeeper = true
  for (const [name, content] of Object.entries(value)) {
    if (walk.isDeeper || walk.found.size > maxPeople) return
    visit(walk, content, { depth: depth + 1, isOfAddress: isOfAddress || isAddress(name) })
  }
}

/** The same for a text that cannot be parsed. */
export function peopleInText(text: string): People {
  const found = new Set<string>()
  for (const [, name = '', value = ''] of text.matchAll(/"(\w+)"\s*:\s*"([^"\\]{1,128})"/g))
    if (isAddress(name)) add(found, value)
  return bounded(found)
}

/** A user id has letters; without any it is a number, whatever else stands between its digits. */
function add(found: Set<string>, given: string): void {
  const shown = /[a-z]/i.test(given) ? storableStart(given, 128) : toDigits(given).slice(0, 32)
  if (shown !== '') found.add(shown)
}

const bounded = (found: ReadonlySet<string>): People => ({
  addresses: [...found].slice(0, maxPeople),
  areAll: found.size <= maxPeople,
})
