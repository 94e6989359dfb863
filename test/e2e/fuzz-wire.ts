// Random bytes that start as HTTP requests and are then corrupted, sent in hostile ways.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from './fuzz-dice.ts'
import { mutatedBytes } from './fuzz-mutations.ts'
import { assertRefusedAtAll } from './fuzz-requests.ts'

const crlf = '\r\n'
const many = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index))
const letters = (dice: Dice, count: number) =>
  many(count, () => String.fromCharCode(65 + dice.below(26))).join('')

interface Parts {
  line: string
  lines: string[]
  body: string
}

function good(dice: Dice, key: string): Parts {
  const body = '{"to":"+15557000001","template":{"name":"hello_world","language":"en_US"}}'
  const lines = ['Host: x', `X-Api-Key: ${key}`]
  const json = [...lines, 'Content-Type: application/json']
  const preview = 'POST /api/v1/messages/chat/preview HTTP/1.1'
  return dice.of<Parts>([
    { line: 'GET /healthz HTTP/1.1', lines, body: '' },
    { line: 'GET /api/v1/numbers?limit=1 HTTP/1.1', lines, body: '' },
    { line: 'GET /api/v1/nowhere HTTP/1.1', lines, body: '' },
    { line: preview, lines: [...json, `Content-Length: ${body.length}`], body },
    {
      line: preview,
      lines: [...json, 'Transfer-Encoding: chunked'],
      body: chunked([body.slice(0, 9), body.slice(9)]),
    },
    { line: 'POST /provider/webhooks HTTP/1.1', lines: [...json, `Content-Length: ${body.length}`], body },
  ])
}

const chunked = (pieces: readonly string[]): string =>
  [...pieces, ''].map((piece) => `${piece.length.toString(16)}${crlf}${piece}${crlf}`).join('')

const text = ({ line, lines, body }: Parts): string => [line, ...lines, '', body].join(crlf)

const lengths = [
  'Content-Length: 2',
  'Content-Length: 999',
  'Content-Length: -1',
  'Content-Length: 1e9',
  'Content-Length:',
]
const codings = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  'Transfer-Encoding : chunked',
  'TE: x',
]
const sizes = ['zz', '-1', 'ffffffffffffffff', '5;x=y', '5 ', '0x5', '', '00000000000000005', '7fffffff']
const odd = [
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Connection: close',
  'Host: y',
  'X-Request-Id: \x01',
  ': x',
  'x',
]

const spoilers: readonly ((dice: Dice, parts: Parts) => void)[] = [
  (dice, parts) => {
    // The caller chooses the method freely, so the number of different methods is unlimited.
    parts.line = parts.line.replace(/^\S+/, letters(dice, 1 + dice.below(30)))
  },
  (dice, parts) => {
    parts.line = mutatedBytes(dice, Buffer.from(parts.line)).toString('latin1')
  },
  (dice, parts) => {
    parts.line = parts.line.replace(/\/[^ ]*/, `/${letters(dice, dice.of([20, 3_000, 70_000]))}`)
  },
  (dice, parts) => {
    parts.lines.push(`X-Huge: ${letters(dice, 20).repeat(dice.of([50, 150, 4_000]))}`)
  },
  (dice, parts) => {
    parts.lines.push(...many(dice.of([10, 90, 2_000]), (index) => `X-${index}: ${index}`))
  },
  (dice, parts) => {
    parts.lines.splice(dice.below(parts.lines.length + 1), 0, dice.of([...lengths, ...codings, ...odd]))
  },
  (dice, parts) => {
    parts.lines = [...parts.lines.filter((line) => !line.startsWith('Content-Length')), codings[0] ?? '']
    parts.body = `${dice.of(sizes)}${crlf}hello${crlf}${dice.oneIn(2) ? `0${crlf}${crlf}` : ''}`
  },
  (dice, parts) => {
    parts.body += dice.of(['x', '\r\n\r\n', '\0'.repeat(100), 'GET', '{"a":', letters(dice, 60_000)])
  },
]

/** One to three consecutive requests, some corrupted, complete or cut off at any byte. */
export function wireBytes(dice: Dice, key: string): Buffer {
  const requests = many(1 + (dice.oneIn(3) ? dice.below(3) : 0), () => {
    const parts = good(dice, key)
    for (let left = dice.below(3); left > 0; left -= 1) dice.of(spoilers)(dice, parts)
    return text(parts)
  })
  const bytes = Buffer.from(requests.join(dice.oneIn(10) ? letters(dice, 5) : ''), 'latin1')
  if (dice.oneIn(4)) return bytes.subarray(0, dice.below(bytes.length))
  return dice.oneIn(3) ? mutatedBytes(dice, bytes) : bytes
}

/** How long a client that is still connected waits for an answer, at most. */
const PATIENCE_MS = 40

/** Sends the bytes at once or in pieces, then leaves in a random way; returns everything received. */
export async function exchange(dice: Dice, origin: string, bytes: Buffer): Promise<string> {
  const pieces = dice.oneIn(8) ? drops(bytes) : parts(bytes, 1 + dice.below(4))
  const leaving = dice.below(4)
  const { hostname, port } = new URL(origin)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  // A reset counts as an answer.
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const ended = new Promise<void>((resolve) => socket.once('end', resolve))
  for (const piece of pieces) {
    if (!socket.writable) break
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
  }
  if (leaving === 1) socket.end()
  // A client that stays waits until the connection ends, at most PATIENCE_MS.
  if (leaving > 0) await Promise.race([closed, ended, sleep(PATIENCE_MS)])
  if (leaving === 3) socket.resetAndDestroy()
  else socket.destroy()
  await closed
  return received
}

const parts = (bytes: Buffer, count: number): Buffer[] => {
  const size = Math.max(1, Math.ceil(bytes.length / count))
  return many(Math.ceil(bytes.length / size), String).map((_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

const drops = (bytes: Buffer): Buffer[] => [
  ...parts(bytes.subarray(0, 60), 60),
  ...parts(bytes.subarray(60), 3),
]

// The HTTP parser itself refuses what it cannot read, and closes the connection.
const unreadable = /^HTTP\/1\.1 (400|431|505) [^\r\n]+\r\nConnection: close\r\n\r\n<h1>.*$/s

/** Each complete answer is documented, and there are no more answers than requests. */
export function judgeWire(sent: Buffer, received: string): void {
  const answers = received.split(/(?=HTTP\/1\.1 \d{3} )/).filter((part) => part !== '')
  const asked = sent.toString('latin1').match(/HTTP\/1\.1\r\n/g) ?? []
  assert.ok(
    answers.length <= asked.length + 1,
    `${asked.length} requests, answers: ${received.slice(0, 500)}`,
  )
  for (const answer of answers) if (!unreadable.test(answer)) judgeAnswer(answer)
}

function judgeAnswer(answer: string): void {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return
  const [line = '', ...lines] = answer.slice(0, end).split(crlf)
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 2)]),
  )
  const body = Buffer.from(answer.slice(end + 4), 'latin1')
  // The client may have left before the answer was complete.
  if (body.length < Number(headers['content-length'])) return
  const status = Number(line.split(' ')[1])
  const told = { status, headers, text: body.toString(), json: parsed(body.toString()) }
  if (status < 400) return
  // Refusals to the provider have no body, because it reads none.
  if ([401, 403, 405].includes(status) && body.length === 0) return
  assertRefusedAtAll(told)
}

function parsed(json: string) {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

export interface HalfOpen {
  /** How many of the connections the server has not closed yet. */
  left(): number
  close(): void
}

/** Connections that send nothing or half of a request head, and stay open. */
export async function halfOpen(origin: string, count: number): Promise<HalfOpen> {
  const { hostname, port } = new URL(origin)
  const open = new Set<Socket>()
  await Promise.all(
    many(count, String).map(async (_, index) => {
      const socket = connect(Number(port), hostname)
      open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => open.delete(socket))
      await new Promise((resolve) => socket.once('connect', resolve))
      if (index % 2 === 0) socket.write('POST /api/v1/messages/chat HTTP/1.1\r\nHost: x\r\nX-')
    }),
  )
  return {
    left: () => open.size,
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}
