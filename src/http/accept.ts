// Which other form than JSON an answer may have.
import type { HttpRequest } from './exchange.ts'

const refused = /^\s*q=0(\.0*)?\s*$/i

/** Whether `Accept` names this media type itself; a wildcard asks for nothing in particular. */
export function accepts(request: Pick<HttpRequest, 'header'>, type: string): boolean {
  const ranges = (request.header('accept') ?? '').split(',')
  return ranges.some((range) => {
    const [name = '', ...parameters] = range.split(';')
    return name.trim().toLowerCase() === type && !parameters.some((text) => refused.test(text))
  })
}
