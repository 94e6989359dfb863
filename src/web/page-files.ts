// Serves the files of pages with headers, a content security policy and an encoding that the browser takes.
import { type Encoded, etagOf, formFor, isKnown } from '../shared/encoded.ts'

export interface PageFile extends Encoded {
  /** Relative to the base of its site. The page itself is `index.html`. */
  readonly name: string
}

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
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

interface ServedFile extends PageFile {
  readonly headers: Readonly<Record<string, string>>
}

export type ServedFiles = ReadonlyMap<string, ServedFile>

export const filesByName = (files: readonly PageFile[]): ServedFiles =>
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
  return { ...always, 'content-type': type, 'cache-control': cachingOf(name), etag: etagOf(bytes) }
}

/** A name with a hash is kept for ever; the page is asked for again each time. */
function cachingOf(name: string): string {
  if (name === 'index.html') return 'no-cache'
  return /-[A-Z0-9]{8}\./.test(name) ? 'public, max-age=31536000, immutable' : 'public, max-age=86400'
}

interface Asked {
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

export interface FileReply {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export function fileReply({ headers, ...forms }: ServedFile, asked: Asked): FileReply {
  if (isKnown(asked.ifNoneMatch, headers['etag'] ?? '')) return { status: 304, headers }
  const form = formFor(forms, asked.acceptEncoding)
  return { status: 200, headers: { ...headers, ...form.headers }, body: form.body }
}
