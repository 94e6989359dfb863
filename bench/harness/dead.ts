// Receivers that fail in different ways. Runs in its own process.
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { serve } from './part.ts'

export interface DeadPorts {
  /** Accepts connections and never answers, neither a POST nor an upgrade. */
  readonly silent: number
  /** Answers 500 after 300 ms. */
  readonly failing: number
  /** Nothing listens on this port. */
  readonly closed: number
}

export interface DeadProtocol {
  listen: { question: null; answer: DeadPorts }
}

const thinksForMs = 300

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', 4_096, () => resolve((server.address() as AddressInfo).port))
  })

serve<DeadProtocol>({
  async listen() {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume())
    const failing = createHttpServer((request, response) => {
      request.resume().on('error', () => undefined)
      setTimeout(() => response.writeHead(500).end('out of order'), thinksForMs)
    })
    const closed = createServer()
    const ports = {
      silent: await listen(silent),
      failing: await listen(failing),
      closed: await listen(closed),
    }
    await new Promise((resolve) => closed.close(resolve))
    return ports
  },
})
