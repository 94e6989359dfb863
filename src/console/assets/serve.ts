// Serves the console's page and its files from memory. Every path outside /console/assets/ gets the page,
// which reads its own address.
import { AppError } from '../../contract/errors.ts'
import { errorResponse } from '../../platform/http/error-response.ts'
import type { HttpHandler } from '../../platform/http/exchange.ts'
import { fileReply, filesOnce } from '../../web/page-files.ts'
import { readBuilt } from './built.ts'
import { bundleConsole } from './bundle.ts'

const PREFIX = '/console/assets/'

/** Reads built files at start. Without them the first request builds, and later requests share the result. */
export function createConsolePages(): HttpHandler {
  const built = readBuilt()
  const load = filesOnce(async () => built ?? (await bundleConsole({ thorough: false })).files)
  return async function answer(request) {
    const { method, path, requestId } = request
    if (method !== 'GET' && method !== 'HEAD')
      return errorResponse(
        new AppError('METHOD_NOT_ALLOWED', 'this path takes GET', { headers: { allow: 'GET, HEAD' } }),
        request,
      )
    const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : 'index.html'
    const file = (await load()).get(name)
    if (file === undefined) return errorResponse(new AppError('NOT_FOUND', 'there is no such file'), request)
    const reply = fileReply(file, {
      ifNoneMatch: request.header('if-none-match'),
      acceptEncoding: request.header('accept-encoding'),
    })
    return { ...reply, headers: { ...reply.headers, 'x-request-id': requestId } }
  }
}
