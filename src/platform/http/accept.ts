// Content negotiation: whether the client asks for a media type other than JSON.
import type { HttpRequest } from './exchange.ts'

const refused = /^\s*q=0(\.0*)?\s*$/i

/** True only when `Accept` names this media type itself. A wildcard does not count. */
export function accepts(request: Pick<HttpRequest, 'header'>, type: string): boolean {
  const ranges = (request.header('accept') ?? '').split(',')
  return ranges.some((range) => {
    const [name = '', ...parameters] = range.split(';')
    return name.trim().toLowerCase() === type && !parameters.some((text) => refused.test(text))
  })
}
