// The head of a response, as one text.
import { STATUS_CODES } from 'node:http'
import type { HttpResponse } from './exchange.ts'
import type { LiveRequest } from './wire-request.ts'

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
    statusLines.set(status, line)
  }
  return line
}

// Write status and headers as one text: one native call per header costs more than the rest of the response.
export function headText(
  answer: HttpResponse,
  { publicUrl }: Pick<LiveRequest, 'publicUrl'>,
  closing: boolean,
): string {
  let text = statusLine(answer.status)
  for (const name in answer.headers) {
    // The code that ends the response writes the length. A second length would make the response malformed.
    if (name !== 'content-length') text += `\r\n${name}: ${oneLine(answer.headers[name] ?? '')}`
  }
  if (answer.headers?.[noSniff] === undefined) text += `\r\n${noSniff}: nosniff`
  // TLS ends at the proxy in front, which passes this on to browsers.
  if (publicUrl.startsWith('https:')) text += strictTransport
  for (const cookie of answer.cookies ?? []) text += `\r\nset-cookie: ${oneLine(cookie)}`
  // The parser drops an idle connection after about 10 s without notice, so tell clients a shorter timeout.
  return closing ? text : `${text}\r\nkeep-alive: timeout=8`
}

const noSniff = 'x-content-type-options'
/** One year, for this host only: its other names are not ours to decide about. */
const strictTransport = '\r\nstrict-transport-security: max-age=31536000'

// A value may come from outside, such as a file name. It must not start a new header.
const oneLine = (value: string): string =>
  breaksLine.test(value) ? value.replaceAll(/[\r\n\0]+/g, ' ') : value

const breaksLine = /[\r\n\0]/

export const closeHeader = '\r\nconnection: close'
