// The console's page and its files, from memory. Every path that is no file is the page: it reads its own address.
import { AppError } from '../../contract/errors.ts'
import { errorResponse } from '../../http/error-response.ts'
import type { HttpHandler } from '../../http/exchange.ts'
import { fileReply, filesOnce } from '../../web/page-files.ts'
import { readBuilt } from './built.ts'
import { bundleConsole } from './bundle.ts'

const PREFIX = '/console/assets/'

/** What was built is read at once. Otherwise the first request builds, and those after it share the result. */
export function createConsolePages(): HttpHandler {
  const built = readBuilt()
  const load = filesOnce(async () => built ?? (await bundleConsole({ thorough: false })).files)
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
    const reply = fileReply(file, {
      ifNoneMatch: request.header('if-none-match'),
      acceptEncoding: request.header('accept-encoding'),
    })
    return { ...reply, headers: { ...reply.headers, 'x-request-id': requestId } }
  }
}
