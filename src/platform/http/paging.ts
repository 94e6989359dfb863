// Paging by `?limit=` and `?cursor=`. A cursor is the keyset of the last row shown. It is opaque to callers
// and always validated.
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { AppError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Keyset, Page, PageRequest } from '../../contract/page.ts'
import { maxCharacters } from './fields.ts'
import { about, shownAs } from './shown.ts'
import { isInstant } from './time.ts'

/** A kind of list. A list refuses cursors of another kind. `parts` checks the value of each sort column. */
export interface ListKind {
  readonly name: string
  readonly parts: readonly { test(part: string): boolean }[]
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Newest first by id. */
export const byId = (name: string): ListKind => ({ name, parts: [uuid] })

/** Latest activity first: by time, then by id. */
export const byActivity = (name: string): ListKind => ({ name, parts: [{ test: isInstant }, uuid] })

/** The same list by change, the oldest first: time, id, and until when the list is complete. */
export const byChange = ({ name }: ListKind): ListKind => ({
  name: `${name} by change`,
  parts: [{ test: isInstant }, uuid, { test: isInstant }],
})

const limitMessage = `must be a whole number from 1 to ${limits.pageMax}`

/** Query parameters of every list. */
export const pageQuery = {
  limit: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d{1,9}$/, limitMessage),
        v.transform(Number),
        v.minValue(1, limitMessage),
        v.maxValue(limits.pageMax, limitMessage),
      ),
      String(limits.pageDefault),
    ),
    shownAs({ type: 'integer', minimum: 1, maximum: limits.pageMax, default: limits.pageDefault }),
    v.description('How many entries a page holds at most.'),
  ),
  cursor: v.optional(
    about(
      v.pipe(v.string(), maxCharacters(512, 'must be a nextCursor of this list')),
      'The `nextCursor` of the page before, with the same filters.',
    ),
  ),
}

export function pageRequest(
  kind: ListKind,
  query: { readonly limit: number; readonly cursor?: string | undefined },
): PageRequest {
  if (query.cursor === undefined) return { limit: query.limit }
  const after = decodeCursor(kind, query.cursor)
  if (after) return { limit: query.limit, after }
  const message = 'must be a nextCursor of this list'
  throw new AppError('VALIDATION_ERROR', `cursor ${message}`, { details: [{ path: 'cursor', message }] })
}

export interface PageBody<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
  readonly updatedUntil?: string
}

export function pageBody<Row>(kind: ListKind, page: Page<Row>): PageBody<Row> {
  return {
    data: page.data,
    nextCursor: page.next ? encodeCursor(kind, page.next) : null,
    ...(page.updatedUntil !== undefined && { updatedUntil: page.updatedUntil }),
  }
}

/** Contains a checksum: a damaged cursor is refused instead of selecting another page. */
export function encodeCursor(kind: ListKind, keyset: Keyset): string {
  const checksum = crc32(JSON.stringify([kind.name, ...keyset]))
  return Buffer.from(JSON.stringify([checksum, kind.name, ...keyset])).toString('base64url')
}

/** Undefined unless `encodeCursor` made the cursor for this list. */
export function decodeCursor(kind: ListKind, cursor: string): Keyset | undefined {
  const decoded = parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!Array.isArray(decoded) || decoded.length !== kind.parts.length + 2) return undefined
  const [, , ...keyset] = decoded as unknown[]
  const fits = kind.parts.every((part, index) => {
    const value = keyset[index]
    return typeof value === 'string' && part.test(value)
  })
  // Encode again and compare. This refuses other lists, wrong checksums and other base64 spellings.
  return fits && encodeCursor(kind, keyset as string[]) === cursor ? (keyset as string[]) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
