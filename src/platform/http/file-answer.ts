// Serves a file: whole, as a byte range, or as 304 when the client already has it (RFC 9110, 13 and 14).
import type { ByteRange } from '../../contract/blobs.ts'
import { AppError } from '../../contract/errors.ts'
import { readRange } from './byte-range.ts'
import type { HttpRequest } from './exchange.ts'
import { Answer, RawAnswer } from './route.ts'

export interface ServedFile {
  readonly mimeType: string
  readonly fileName: string
  readonly sizeBytes: number
  /** Hex digest, used as the strong ETag. */
  readonly sha256: string
  body(range: ByteRange | undefined): Promise<AsyncIterable<Uint8Array>>
}

export async function fileAnswer(
  request: Pick<HttpRequest, 'header'>,
  file: ServedFile,
): Promise<RawAnswer | Answer<undefined>> {
  const { sizeBytes } = file
  const etag = `"${file.sha256}"`
  // The client may cache the file but must revalidate it each time, so that a revoked key loses access.
  const validators = { etag, 'cache-control': 'private, no-cache' }
  if (matches(request.header('if-none-match'), etag))
    return new Answer(undefined, { status: 304, headers: validators })
  const range = isRangeWanted(request, etag)
    ? readRange(request.header('range'), sizeBytes)
    : ({ type: 'whole' } as const)
  if (range.type === 'unsatisfiable')
    throw new AppError('RANGE_NOT_SATISFIABLE', `the file is ${sizeBytes} bytes long`, {
      headers: { 'content-range': `bytes */${sizeBytes}` },
    })
  const part = range.type === 'part' ? { start: range.start, end: range.end } : undefined
  const length = part ? part.end - part.start + 1 : sizeBytes
  const headers = {
    ...validators,
    ...fileHeaders(file),
    'content-length': String(length),
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${sizeBytes}` }),
  }
  return new RawAnswer(length === 0 ? '' : await file.body(part), headers, part ? 206 : 200)
}

// A customer's file must never run as a page of this origin, whatever type it claims.
const fileHeaders = ({ mimeType, fileName }: ServedFile) => ({
  'content-type': mediaType.test(mimeType) ? mimeType : 'application/octet-stream',
  'content-disposition': attachment(fileName),
  'accept-ranges': 'bytes',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
})

const mediaType = /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[\w .+,-]*"|[\w.+-]+))*$/

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag)
}

/** An If-Range other than our ETag, including a date, selects the whole file. */
function isRangeWanted(request: Pick<HttpRequest, 'header'>, etag: string): boolean {
  const condition = request.header('if-range')
  return condition === undefined || condition.trim() === etag
}

/** Gives the name twice: in ASCII for old clients, and in UTF-8 (RFC 6266, RFC 8187). */
export function attachment(fileName: string): string {
  const name = safeName(fileName)
  const ascii = name.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, percent)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

const longestName = 150

/** Removes folders, invisible characters, and text direction controls that could disguise the extension. */
function safeName(fileName: string): string {
  const last = fileName.split(/[/\\]/).at(-1) ?? ''
  const visible = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim()
  const name = visible.replace(/^\.+/, '')
  if (name === '') return 'file'
  const chars = [...name]
  if (chars.length <= longestName) return name
  const ending = /\.[\w-]{1,16}$/.exec(name)?.[0] ?? ''
  return chars.slice(0, longestName - ending.length).join('') + ending
}
