// The console's page and its files, from memory. Every path that is no file is the page: it reads its own address.
import { AppError } from '../../contract/errors.ts'
import { errorResponse } from '../../http/error-response.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../http/exchange.ts'
import { readBuilt } from './built.ts'
import { bundleConsole, type ConsoleFile, etagOf } from './bundle.ts'

const PREFIX = '/console/assets/'

/** Nothing inline, nothing evaluated, nothing from elsewhere; `self` takes in the socket of the same origin. */
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

interface Served extends ConsoleFile {
  readonly headers: Readonly<Record<string, string>>
}

/** What was built is read at once. Otherwise the first request builds, and those after it share the result. */
export function createConsolePages(): HttpHandler {
  const built = readBuilt()
  let files: Promise<ReadonlyMap<string, Served>> | undefined = built && Promise.resolve(byName(built))
  const load = (): Promise<ReadonlyMap<string, Served>> => {
    files ??= bundleConsole({ thorough: false }).then(
      (bundle) => byName(bundle.files),
      (error: unknown) => {
        files = undefined
        throw error
      },
    )
    return files
  }
  return async function answer(request) {
    const { method, path, requestId } = request
    if (method !== 'GET' && method !== 'HEAD')
      return errorResponse(
        new AppError('METHOD_NOT_ALLOWED', 'this path takes GET', { headers: { allow: 'GET, HEAD' } }),
        requestId,
      )
    const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : 'index.html'
    const file = (await load()).get(name)
    if (file === undefined)
      return errorResponse(new AppError('NOT_FOUND', 'there is no such file'), requestId)
    return serve(file, request)
  }
}

const byName = (files: readonly ConsoleFile[]): ReadonlyMap<string, Served> =>
  new Map(files.map((file) => [file.name, { ...file, headers: headersOf(file) }]))

function headersOf({ name, bytes }: ConsoleFile): Readonly<Record<string, string>> {
  const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  const caching = name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable'
  return { ...always, 'content-type': type, 'cache-control': caching, etag: etagOf(bytes) }
}

function serve(file: Served, request: HttpRequest): HttpResponse {
  const headers = { ...file.headers, 'x-request-id': request.requestId }
  const known = (request.header('if-none-match') ?? '').split(',').map((tag) => tag.trim())
  if (known.includes(file.headers['etag'] ?? '')) return { status: 304, headers }
  const accepted = acceptedEncodings(request.header('accept-encoding'))
  if (accepted.has('br'))
    return { status: 200, headers: { ...headers, 'content-encoding': 'br' }, body: file.brotli }
  if (accepted.has('gzip'))
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: file.gzip }
  return { status: 200, headers, body: file.bytes }
}

/** What is named and not ruled out by a weight of nothing. */
const acceptedEncodings = (header = ''): ReadonlySet<string> =>
  new Set(
    header
      .toLowerCase()
      .split(',')
      .map((entry) => entry.trim().split(/\s*;\s*/))
      .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
      .map(([name = '']) => name),
  )
