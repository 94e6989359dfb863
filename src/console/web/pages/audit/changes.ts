// Computes the differences between the two states of an audit entry.
import { exact, sentence } from '../../core/format.ts'

export interface Change {
  readonly field: string
  /** Null if there was no value before; `after` is null if there is none any more. */
  readonly before: string | null
  readonly after: string | null
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** States and roles are words, and stand in capitals in records. */
const isWord = (field: string): boolean => /(role|status|states?)$/i.test(field)

function textOf(text: string, field: string): string {
  if (instant.test(text)) return exact(text)
  return isWord(field) ? sentence(text) : text
}

function shown(value: unknown, field: string): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((one) => shown(one, field)).join(', ')
  if (typeof value === 'string') return textOf(value, field)
  return isFields(value) ? JSON.stringify(value) : String(value)
}

/** Flattens nested fields: the name of each is its path. */
function flat(value: unknown, path = ''): (readonly [string, unknown])[] {
  if (!isFields(value)) return path === '' ? [] : [[path, value]]
  return Object.entries(value).flatMap(([name, inner]) => flat(inner, path === '' ? name : `${path}.${name}`))
}

export function changesOf(before: unknown, after: unknown): Change[] {
  const [old, fresh] = [new Map(flat(before)), new Map(flat(after))]
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((field) =>
    changesIn(field, old.get(field), fresh.get(field)),
  )
}

/** For two lists, only the added and the removed items. */
function changesIn(field: string, old: unknown, fresh: unknown): Change[] {
  const isList = Array.isArray(old) && Array.isArray(fresh)
  const before = shown(isList ? old.filter((item) => !fresh.includes(item)) : old, field)
  const after = shown(isList ? fresh.filter((item) => !old.includes(item)) : fresh, field)
  return before === after ? [] : [{ field, before, after }]
}

/** forwardCalls becomes Forward calls, template.name becomes Template name. */
export function titleOfField(field: string): string {
  const words = field
    .replaceAll('.', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/ Id$/, '')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
