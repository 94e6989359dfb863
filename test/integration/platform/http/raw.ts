// A client that sends exactly the bytes it is given.
import { connect, type Socket } from 'node:net'

export interface RawClient {
  readonly socket: Socket
  write(text: string | Uint8Array): void
  /** Everything that came so far. */
  text(): string
  /** Resolves once `text` came; fails after a while. */
  sees(text: string): Promise<string>
  /** Resolves with everything that came, once the server has closed the connection. */
  closed(): Promise<string>
}

const patienceMs = 20_000

export async function raw(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let isClosed = false
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watch of watchers) watch()
  }
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    changed()
  })
  // A reset counts as closed.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
    changed()
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  const until = (isMet: () => boolean, what: string) =>
    new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(watch)
        reject(new Error(`no ${what} in: ${JSON.stringify(received)}`))
      }, patienceMs)
      const watch = () => {
        if (!isMet()) return
        clearTimeout(timer)
        watchers.delete(watch)
        resolve(received)
      }
      watchers.add(watch)
      watch()
    })
  return {
    socket,
    write: (text) => void socket.write(text),
    text: () => received,
    sees: (text) => until(() => received.includes(text), text),
    closed: () => until(() => isClosed, 'end'),
  }
}

export const head = (line: string, headers: readonly string[] = []): string =>
  `${[line, 'Host: gateway.test', ...headers].join('\r\n')}\r\n\r\n`

/** Every answer on a connection, in order: status and body. */
export function answers(text: string): { status: number; body: string }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part.startsWith('HTTP/1.1 '))
    .map((part) => ({ status: Number(part.slice(9, 12)), body: part.slice(part.indexOf('\r\n\r\n') + 4) }))
}
