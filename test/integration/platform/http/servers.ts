// Servers under test, closed after the last test of the file.

import type { HttpHandler } from '../../../../src/platform/http/exchange.ts'
import type { HttpServer, ListenOptions } from '../../../../src/platform/http/listen-options.ts'
import { listen } from '../../../../src/platform/http/uws.ts'
import { afterFile } from '../../../support/harness.ts'

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
  afterFile(() => server.close())
  return { server, url: `http://127.0.0.1:${server.port}`, port: server.port }
}

/** A promise and the function that resolves it. */
export function gate<T = void>() {
  let open: (value: T) => void = () => undefined
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
