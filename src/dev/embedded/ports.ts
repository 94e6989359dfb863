import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** The port of the last start if it is free, so that URLs stay the same. Otherwise a port from the kernel. */
export async function choosePort(memory: string): Promise<number> {
  const last = recall(memory)
  return last !== null && (await isFree(last)) ? last : freePort()
}

export function rememberPort(memory: string, port: number): void {
  writeFileSync(memory, `${port}\n`)
}

export function freePort(): Promise<number> {
  return listenOnce(0)
}

/** By a program that listens on this address or on all. */
export const isTaken = (port: number, host: string): Promise<boolean> =>
  listenOnce(port, host).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE',
  )

function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  )
}

function listenOnce(port: number, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}

function recall(memory: string): number | null {
  try {
    const port = Number(readFileSync(memory, 'utf8'))
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null
  } catch {
    return null
  }
}
