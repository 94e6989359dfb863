// One content in the encodings that browsers take, compressed once and answered from memory.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export interface Encoded {
  readonly bytes: Uint8Array
  /** Absent where compressing gains nothing, as with a font. */
  readonly brotli?: Uint8Array
  readonly gzip?: Uint8Array
}

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/** `thorough` takes far longer and makes smaller forms. */
export async function encode(bytes: Uint8Array, thorough = false): Promise<Required<Encoded>> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: thorough ? constants.BROTLI_MAX_QUALITY : 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  }
  const [small, older] = await Promise.all([brotli(bytes, { params }), gzipped(bytes, { level: 9 })])
  return { bytes, brotli: small, gzip: older }
}

/** The best form for the `Accept-Encoding` of a request, with the headers that name it. */
export function formFor(
  { bytes, brotli: small, gzip: older }: Encoded,
  acceptEncoding: string | undefined,
): { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
  const accepted = namedIn(acceptEncoding)
  if (small && accepted.has('br')) return { body: small, headers: { 'content-encoding': 'br' } }
  if (older && accepted.has('gzip')) return { body: older, headers: { 'content-encoding': 'gzip' } }
  return { body: bytes, headers: {} }
}

/** The encodings that the header names, without those of weight zero. */
const namedIn = (header = ''): ReadonlySet<string> =>
  new Set(
    header
      .toLowerCase()
      .split(',')
      .map((entry) => entry.split(';').map((part) => part.trim()))
      .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
      .map(([name = '']) => name),
  )

/** Weak, because the compressed forms have other bytes for the same content. */
export const etagOf = (bytes: Uint8Array): string =>
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether `If-None-Match` is `*` or lists the tag; a weak one equals a strong one. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
