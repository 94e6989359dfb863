// HTTP/1.1 on kept connections with requests built beforehand. A client that does more would take the CPU that
// is measured.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const answerTimeoutMs = 10_000
const headEnd = Buffer.from('\r\n\r\n')
const chunksEnd = Buffer.from('0\r\n\r\n')

/** One connection: one request at a time. */
export class Line {
  readonly #url: URL
  #socket: Socket | undefined
  #received: Buffer[] = []
  #settle: ((status: number) => void) | undefined

  constructor(origin: string) {
    this.#url = new URL(origin)
  }

  /** The status of the answer; 0 without one. Never rejects. */
  request(bytes: Buffer): Promise<number> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#socket?.destroy(), answerTimeoutMs)
      this.#settle = (status) => {
        clearTimeout(timer)
        this.#settle = undefined
        this.#received = []
        resolve(status)
      }
      this.#open().write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed) return this.#socket
    const { protocol, hostname: host, port } = this.#url
    const socket =
      protocol === 'https:'
        ? connectTls({ host, port: Number(port || 443), servername: host })
        : connectPlain({ host, port: Number(port || 80) })
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => this.#settle?.(0))
    this.#socket = socket
    return socket
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk)
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
    this.#received = [all]
    const status = statusOf(all)
    if (status !== undefined) this.#settle?.(status)
  }
}

/** Undefined while the answer is not complete. */
function statusOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  if (/^transfer-encoding: *chunked/im.test(head))
    return bytes.subarray(-chunksEnd.length).equals(chunksEnd) ? status : undefined
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  return bytes.length >= end + headEnd.length + length ? status : undefined
}

/** Connections to one origin, at most `most` at once. Requests beyond wait in their order. */
export class Lines {
  readonly #origin: string
  readonly #most: number
  readonly #idle: Line[] = []
  readonly #all: Line[] = []
  readonly #waiting: ((line: Line) => void)[] = []

  constructor(origin: string, most: number) {
    this.#origin = origin
    this.#most = most
  }

  async request(bytes: Buffer): Promise<number> {
    const line = await this.#take()
    try {
      return await line.request(bytes)
    } finally {
      const next = this.#waiting.shift()
      if (next) next(line)
      else this.#idle.push(line)
    }
  }

  close(): void {
    for (const line of this.#all) line.close()
  }

  #take(): Promise<Line> | Line {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.length >= this.#most) return new Promise((resolve) => this.#waiting.push(resolve))
    const line = new Line(this.#origin)
    this.#all.push(line)
    return line
  }
}

export interface RawRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

export function rawRequest(host: string, { method, path, headers, body }: RawRequest): Buffer {
  const lines = Object.entries({ host, ...headers, ...(body && { 'content-length': String(body.length) }) })
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return body ? Buffer.concat([Buffer.from(head, 'latin1'), body]) : Buffer.from(head, 'latin1')
}
