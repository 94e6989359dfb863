// Serves the files of pages with headers, a content security policy and an encoding that the browser takes.
import { createHash } from 'node:crypto'
import type { PageFile } from './bundle.ts'

/** No inline code, no eval, nothing from other origins. `self` includes the WebSocket of the same origin. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ')

const always = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding',
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

interface ServedFile extends PageFile {
  readonly headers: Readonly<Record<string, string>>
}

type ServedFiles = ReadonlyMap<string, ServedFile>

const filesByName = (files: readonly PageFile[]): ServedFiles =>
  new Map(files.map((file) => [file.name, { ...file, headers: headersOf(file) }]))

/** Reads or builds the files once. If that fails, the next request tries again. */
export function filesOnce(build: () => Promise<readonly PageFile[]>): () => Promise<ServedFiles> {
  let files: Promise<ServedFiles> | undefined
  return () => {
    files ??= build().then(filesByName, (error: unknown) => {
      files = undefined
      throw error
    })
    return files
  }
}

function headersOf({ name, bytes }: PageFile): Readonly<Record<string, string>> {
  const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  const caching = name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable'
  return { ...always, 'content-type': type, 'cache-control': caching, etag: etagOf(bytes) }
}

const etagOf = (bytes: Uint8Array): string =>
  // Weak, because the compressed forms have different bytes for the same content.
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

interface Asked {
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

export interface FileReply {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export function fileReply({ headers, bytes, brotli, gzip }: ServedFile, asked: Asked): FileReply {
  const known = (asked.ifNoneMatch ?? '').split(',').map((tag) => tag.trim())
  if (known.includes(headers['etag'] ?? '')) return { status: 304, headers }
  const accepted = acceptedEncodings(asked.acceptEncoding)
  if (accepted.has('br'))
    return { status: 200, headers: { ...headers, 'content-encoding': 'br' }, body: brotli }
  if (accepted.has('gzip'))
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzip }
  return { status: 200, headers, body: bytes }
}

/** The encodings that the header names, without those of weight zero. */
const acceptedEncodings = (header = ''): ReadonlySet<string> =>
  new Set(
    header
      .toLowerCase()
      .split(',')
      .map((entry) => entry.trim().split(/\s*;\s*/))
      .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
      .map(([name = '']) => name),
  )
