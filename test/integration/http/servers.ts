// Servers under test, closed after the last test of the file.
import { after } from 'node:test'
import type { HttpHandler } from '../../../src/http/exchange.ts'
import { type HttpServer, type ListenOptions, listen } from '../../../src/http/uws.ts'

const servers: HttpServer[] = []

after(() => Promise.all(servers.map((server) => server.close())))

export async function serve(
  handler: HttpHandler,
  options: Partial<ListenOptions> = {},
): Promise<{ server: HttpServer; url: string; port: number }> {
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    maxInFlight: 100,
    closeDeadlineMs: 500,
    ...options,
    handler,
  })
  servers.push(server)
  return { server, url: `http://127.0.0.1:${server.port}`, port: server.port }
}

/** A promise and its handle. */
export function gate<T = void>() {
  let open: (value: T) => void = () => undefined
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
