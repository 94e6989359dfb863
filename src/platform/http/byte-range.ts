// Parses `Range: bytes=...` with one range (RFC 9110, 14). Several ranges, other units and invalid text
// select the whole file. A number too large to be exact is past the end of every file.

export type RangeVerdict =
  | { readonly type: 'whole' }
  | { readonly type: 'part'; readonly start: number; readonly end: number }
  | { readonly type: 'unsatisfiable' }

const form = /^bytes=\s*(\d*)-(\d*)\s*$/i

/** `start` and `end` are inclusive. */
export function readRange(header: string | undefined, sizeBytes: number): RangeVerdict {
  const [, first, last] = form.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return { type: 'whole' }
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first)
  if (first !== '' && last !== '' && Number(first) > Number(last)) return { type: 'whole' }
  return start > end ? { type: 'unsatisfiable' } : { type: 'part', start, end }
}
