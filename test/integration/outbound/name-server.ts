// A name server on loopback that answers what a test tells it to, as late as it tells it to. A delay counts from the
// first question for a name, as it does with a resolver that has to fetch the answer once for all who ask.
import { createSocket } from 'node:dgram'
import type { TestContext } from 'node:test'

export type Answer =
  | { readonly addresses: readonly string[]; readonly ttl?: number; readonly delayMs?: number }
  | 'unknown name'
  | 'server failure'
  | 'refused'
  | 'silence'

/** Decides by name, family and how often the two were asked for, from one. */
export type Zone = (name: string, family: 4 | 6, count: number) => Answer

const codes = { 'server failure': 2, 'unknown name': 3, refused: 5 } as const
const TYPE_AAAA = 28

export interface NameServer {
  readonly address: string
  /** How many questions came for a name, both families counted. */
  asked(name: string): number
}

export async function startNameServer(t: TestContext, zone: Zone): Promise<NameServer> {
  const counts = new Map<string, number>()
  const firstAskedAt = new Map<string, number>()
  const server = createSocket('udp4')
  let isRunning = true
  server.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    const family = type === TYPE_AAAA ? 6 : 4
    const count = (counts.get(`${name} ${family}`) ?? 0) + 1
    counts.set(`${name} ${family}`, count)
    const answer = zone(name, family, count)
    if (answer === 'silence') return
    const reply =
      typeof answer === 'string'
        ? replyTo(query, end, codes[answer], [])
        : replyWith(query, end, type, answer)
    const firstAt = firstAskedAt.get(`${name} ${family}`) ?? performance.now()
    firstAskedAt.set(`${name} ${family}`, firstAt)
    const delayMs = typeof answer === 'string' ? 0 : (answer.delayMs ?? 0) - (performance.now() - firstAt)
    setTimeout(() => {
      if (isRunning) server.send(reply, from.port, from.address, () => {})
    }, delayMs).unref()
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  t.after(() => {
    isRunning = false
    server.close()
  })
  return {
    address: `127.0.0.1:${server.address().port}`,
    asked: (name) => (counts.get(`${name} 4`) ?? 0) + (counts.get(`${name} 6`) ?? 0),
  }
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

function replyWith(
  query: Buffer,
  end: number,
  type: number,
  answer: { addresses: readonly string[]; ttl?: number },
) {
  const records = answer.addresses.map((address) => {
    const data = address.includes(':') ? bytesOf6(address) : Buffer.from(address.split('.').map(Number))
    const head = Buffer.from('c00c00000001000000000000', 'hex')
    head.writeUInt16BE(type, 2)
    head.writeUInt32BE(answer.ttl ?? 60, 6)
    head.writeUInt16BE(data.byteLength, 10)
    return Buffer.concat([head, data])
  })
  return replyTo(query, end, 0, records)
}

function replyTo(query: Buffer, end: number, code: number, records: Buffer[]): Buffer {
  const head = Buffer.from(query.subarray(0, end))
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  // The query's additional records are not repeated.
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
