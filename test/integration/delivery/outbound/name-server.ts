// A name server on loopback that gives the answers and delays of a test. A delay counts from the first
// question for a name, as with a resolver that fetches the answer once for all clients.
import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from '../../../support/harness.ts'

export type Answer =
  | {
      readonly addresses: readonly string[]
      readonly ttl?: number
      readonly delayMs?: number
      /** CNAMEs between the requested name and the addresses. */
      readonly aliases?: readonly string[]
      /** The answer over UDP is truncated, so that it has to be fetched over TCP. */
      readonly truncated?: boolean
    }
  | 'unknown name'
  | 'server failure'
  | 'refused'
  | 'silence'

/** Answers by name, family and the number of the question for the two, from one. */
export type Zone = (name: string, family: 4 | 6, count: number) => Answer

const codes = { 'server failure': 2, 'unknown name': 3, refused: 5 } as const
const TYPE_AAAA = 28
const TYPE_CNAME = 5
const TRUNCATED = 0x0200

export interface NameServer {
  readonly address: string
  /** How many questions came for a name: both families, and again over TCP. A repeat of a question is the same one. */
  asked(name: string): number
}

type Reply = (
  query: Buffer,
  isTcp: boolean,
) => { readonly reply: Buffer; readonly delayMs: number } | undefined

export async function startNameServer(t: TestContext, zone: Zone): Promise<NameServer> {
  const questions = new Map<string, Set<string>>()
  const reply = replier(zone, questions)
  const { udp, tcp, port } = await bindBoth()
  let isRunning = true
  udp.on('message', (query, from) => {
    const answer = reply(query, false)
    if (!answer) return
    setTimeout(() => {
      if (isRunning) udp.send(answer.reply, from.port, from.address, () => {})
    }, answer.delayMs).unref()
  })
  tcp.on('connection', (socket) => serveTcp(socket, reply))
  t.after(() => {
    isRunning = false
    udp.close()
    tcp.close()
  })
  return {
    address: `127.0.0.1:${port}`,
    asked: (name) => [4, 6].reduce((sum, family) => sum + (questions.get(`${name} ${family}`)?.size ?? 0), 0),
  }
}

/** Binds one port for UDP and TCP. The kernel picks one that is free for UDP, but it may be taken for TCP. */
async function bindBoth() {
  for (;;) {
    const udp = createSocket('udp4')
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
    const { port } = udp.address()
    const tcp = createServer()
    const isBound = await new Promise((resolve) => {
      tcp.once('error', () => resolve(false))
      tcp.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (isBound) return { udp, tcp, port }
    udp.close()
  }
}

function replier(zone: Zone, questions: Map<string, Set<string>>): Reply {
  const firstAskedAt = new Map<string, number>()
  return (query, isTcp) => {
    const { name, type, end } = readQuestion(query)
    const family = type === TYPE_AAAA ? 6 : 4
    const key = `${name} ${family}`
    // A question that waits too long for its answer is sent again under its id.
    const asked = (questions.get(key) ?? new Set()).add(`${isTcp} ${query.readUInt16BE(0)}`)
    questions.set(key, asked)
    const answer = zone(name, family, asked.size)
    if (answer === 'silence') return undefined
    if (typeof answer === 'string') return { reply: replyTo(query, end, codes[answer], []), delayMs: 0 }
    const firstAt = firstAskedAt.get(key) ?? performance.now()
    firstAskedAt.set(key, firstAt)
    const delayMs = (answer.delayMs ?? 0) - (performance.now() - firstAt)
    if (answer.truncated && !isTcp) return { reply: replyTo(query, end, TRUNCATED, []), delayMs }
    return { reply: replyWith(query, end, type, answer), delayMs }
  }
}

/** Over TCP each message starts with its length. */
function serveTcp(socket: Socket, reply: Reply): void {
  let seen = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    seen = Buffer.concat([seen, chunk])
    while (seen.length >= 2 && seen.length >= 2 + seen.readUInt16BE(0)) {
      const end = 2 + seen.readUInt16BE(0)
      const answer = reply(seen.subarray(2, end), true)
      seen = seen.subarray(end)
      if (!answer) continue
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.reply.length)
      setTimeout(() => socket.write(Buffer.concat([length, answer.reply])), answer.delayMs).unref()
    }
  })
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function replyWith(query: Buffer, end: number, type: number, answer: Exclude<Answer, string>): Buffer {
  const { addresses, aliases = [], ttl = 60 } = answer
  // A pointer to the requested name, which follows the 12-byte header.
  const names = [Buffer.from([0xc0, 12]), ...aliases.map(encodeName)]
  const chain = aliases.map((alias, index) =>
    record(names[index] ?? Buffer.alloc(0), { type: TYPE_CNAME, ttl, data: encodeName(alias) }),
  )
  const last = names.at(-1) ?? Buffer.alloc(0)
  const records = addresses.map((address) => {
    const data = address.includes(':') ? bytesOf6(address) : Buffer.from(address.split('.').map(Number))
    return record(last, { type, ttl, data })
  })
  return replyTo(query, end, 0, [...chain, ...records])
}

function record(name: Buffer, { type, ttl, data }: { type: number; ttl: number; data: Buffer }): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(ttl, 4)
  head.writeUInt16BE(data.byteLength, 8)
  return Buffer.concat([name, head, data])
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])

function replyTo(query: Buffer, end: number, code: number, records: Buffer[]): Buffer {
  const head = Buffer.from(query.subarray(0, end))
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  // No additional records: those of the query are not repeated.
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records])
}

function bytesOf6(address: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const words = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(words.map((word) => word.padStart(4, '0')).join(''), 'hex')
}
