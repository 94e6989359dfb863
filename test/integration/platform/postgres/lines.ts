// Lines between a pool and its database, which a test can harm.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterFile } from '../../../support/harness.ts'
import type { TestDatabase } from '../../../support/postgres.ts'

/** Resolves with the port of a server that does this with each connection. */
export async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    accept(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(() => server.close())
  return (server.address() as AddressInfo).port
}

/** The database behind these ports of this host. */
export function behind({ url, drop }: TestDatabase, ...ports: number[]): TestDatabase {
  const { username, password, pathname } = new URL(url)
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join()
  return { url: `postgres://${username}:${password}@${hosts}${pathname}`, drop }
}
