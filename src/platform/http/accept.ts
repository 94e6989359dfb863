// Content negotiation (RFC 9110 section 12.5.1).
import type { HttpRequest } from './exchange.ts'

interface Range {
  readonly name: string
  /** From 0, never, to 1. */
  readonly quality: number
}

/**
 * The offered media type that `Accept` prefers: by its q value, then the type that is named more closely, then
 * the one that is named first. Without a preference, and where nothing offered is acceptable, the first
 * offered: a client that gets an answer it cannot use is told more than by a 406.
 */
export function preferredType(
  request: Pick<HttpRequest, 'header'>,
  offered: readonly [string, ...string[]],
): string {
  const ranges = (request.header('accept') ?? '').split(',').map(parse)
  let best = { type: offered[0], quality: 0, closeness: -1, place: 0 }
  for (const type of offered) {
    const found = { type, ...judge(type, ranges) }
    if (found.quality > 0 && isBetter(found, best)) best = found
  }
  return best.type
}

type Judged = { readonly quality: number; readonly closeness: number; readonly place: number }

function isBetter(one: Judged, other: Judged): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality
  if (one.closeness !== other.closeness) return one.closeness > other.closeness
  return one.place < other.place
}

/** The closest range that matches says how much a type is wanted. */
function judge(type: string, ranges: readonly Range[]): Judged {
  const names = ['*/*', `${type.split('/')[0]}/*`, type]
  for (let closeness = names.length - 1; closeness >= 0; closeness -= 1) {
    const place = ranges.findIndex(({ name }) => name === names[closeness])
    const range = ranges[place]
    if (range) return { quality: range.quality, closeness, place }
  }
  return { quality: 0, closeness: -1, place: 0 }
}

const qForm = /^\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*$/i

function parse(text: string): Range {
  const [name = '', ...parameters] = text.split(';')
  const quality = parameters.map((parameter) => qForm.exec(parameter)?.[1]).find(Boolean)
  return { name: name.trim().toLowerCase(), quality: Number(quality ?? 1) }
}
