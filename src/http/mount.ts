// Several edges on one server: the path says which one answers.
import { AppError } from '../contract/errors.ts'
import { errorResponse } from './error-response.ts'
import type { HttpHandler } from './exchange.ts'

/** Keys are paths without a slash at the end; each answers for itself and everything below. */
export function mount(edges: Readonly<Record<string, HttpHandler>>): HttpHandler {
  // The longest first, so that `/console/api` is asked before `/console`.
  const sorted = Object.entries(edges).sort(([one], [other]) => other.length - one.length)
  return (request) => {
    const { path, requestId } = request
    const edge = sorted.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))
    if (edge) return edge[1](request)
    return errorResponse(new AppError('NOT_FOUND', 'there is no such path'), requestId)
  }
}
