// Bytes that are not valid HTTP, and many clients that disconnect in the middle of a request.
import { connect } from 'node:net'

const inner = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const head = (...lines: string[]) =>
  ['POST /provider/webhooks HTTP/1.1', 'Host: x', ...lines, '', ''].join('\r\n')
const get = (...lines: string[]) => ['GET /healthz HTTP/1.1', 'Host: x', ...lines, '', ''].join('\r\n')

/** Ambiguous requests: two parsers could find different requests in them, so neither may be served. */
export const shapes: readonly (readonly [what: string, bytes: string | Buffer])[] = [
  ['a length and chunks', `${head('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${inner}`],
  ['chunks and a length', `${head('Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n${inner}`],
  ['two lengths', `${head('Content-Length: 2', 'Content-Length: 40')}{}${inner}`],
  ['one length twice', `${head('Content-Length: 2', 'Content-Length: 2')}{}`],
  ['a list of lengths', `${head('Content-Length: 2, 2')}{}`],
  ...['', '-1', '+2', '0x2', '2e0', '9223372036854775808', '99999999999999999999'].map(
    (length) => [`length "${length}"`, `${head(`Content-Length: ${length}`)}{}`] as const,
  ),
  ...['gzip', 'gzip, chunked', 'identity', 'xchunked', '\x0bchunked', 'chunked, chunked'].map(
    (coding) => [`coding "${coding}"`, `${head(`Transfer-Encoding: ${coding}`)}0\r\n\r\n${inner}`] as const,
  ),
  ['chunks twice', `${head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['a space before the colon', `${head('Transfer-Encoding : chunked')}0\r\n\r\n${inner}`],
  ['a folded line', `${head('Transfer-Encoding:\r\n chunked')}0\r\n\r\n${inner}`],
  ...['zz', '-2', '0x2', 'ffffffffffffffff'].map(
    (size) =>
      [`a chunk of ${size}`, `${head('Transfer-Encoding: chunked')}${size}\r\n{}\r\n0\r\n\r\n`] as const,
  ),
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['two hosts', get('Host: y')],
  ['two keys', get('X-Api-Key: a', 'X-Api-Key: b')],
  ['a key and a key', get('Authorization: Bearer a', 'Authorization: Bearer b')],
  ['a header without a colon', get('foo')],
  ['a space in a name', get('fo o: x')],
  ['NUL in a header', get('X: a\0b')],
  ['a bare CR in a header', get('X: a\rY: b')],
  ['another version', 'GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a target that is no path', 'GET http://y/healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a tunnel', 'CONNECT y:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
  ['a header of 64 KiB', get(`X: ${'y'.repeat(65_536)}`)],
  ['a thousand headers', get(...Array.from({ length: 1_000 }, (_, index) => `X-${index}: y`))],
  ['a path of 64 KiB', `GET /${'y'.repeat(65_536)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['half a request', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX: '],
]

const longHead = (bytes: number) =>
  `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${'y'.repeat(bytes)}`

/**
 * The parser keeps the first part, and has a limit of its own for what it keeps: one within ours, and one beyond. The
 * server closes these connections after its answer.
 */
export const headsInParts = [6_000, 12_000].map(
  (bytes) => [longHead(6_000), { later: `${'y'.repeat(bytes)}\r\n\r\n`, withinMs: 15_000 }] as const,
)

/** How many answers came back, and whether any of them has a 2xx status. */
export function answersIn(text: string): { count: number; served: boolean } {
  const statuses = text.match(/HTTP\/1\.1 \d{3}/g) ?? []
  return { count: statuses.length, served: statuses.some((status) => status.startsWith('HTTP/1.1 2')) }
}

export interface Crowd {
  readonly origin: string
  readonly key: string
  readonly size: number
}

/** Each client sends half of a body and disconnects. */
export async function leaveHalfway({ origin, key, size }: Crowd): Promise<void> {
  const { hostname, port } = new URL(origin)
  const half = 'x'.repeat(100 * 1_024)
  const start = [
    'POST /api/v1/messages/chat HTTP/1.1',
    `Host: ${hostname}`,
    `X-Api-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${2 * half.length}`,
    '',
    half,
  ].join('\r\n')
  let left = size
  const one = (number: number) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(start, () => {
          // One third resets, one third closes, one third closes after the server had 2 ms to read.
          if (number % 3 === 0) socket.resetAndDestroy()
          else if (number % 3 === 1) socket.destroy()
          else setTimeout(() => socket.destroy(), 2)
        }),
      )
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  const lane = async () => {
    while (left > 0) await one(left--)
  }
  await Promise.all(Array.from({ length: 50 }, lane))
}
