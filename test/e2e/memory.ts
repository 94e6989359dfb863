// Measures what a process holds after garbage collection, through its inspector, so that the product needs no
// code for it. The process must run with NODE_OPTIONS=--inspect=127.0.0.1:0.
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { PATIENCE_MS } from '../support/patience.ts'

export interface Held {
  /** JavaScript objects. */
  readonly heapBytes: number
  /** Buffers and other memory outside the heap. */
  readonly externalBytes: number
  readonly residentBytes: number
}

/** `logFile` is the log in which the process reports the address of its inspector. */
export async function heldAfterCollection(logFile: string): Promise<Held> {
  const address = /^Debugger listening on (ws:\S+)$/m.exec(readFileSync(logFile, 'utf8'))?.[1]
  if (address === undefined) throw new Error(`no inspector in ${logFile}`)
  const socket = new WebSocket(address)
  try {
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    // Some objects that a collection frees are finalized only in the next one.
    for (let left = 3; left > 0; left -= 1) await ask(socket, 'HeapProfiler.collectGarbage')
    const { result } = await ask(socket, 'Runtime.evaluate', {
      expression: 'process.memoryUsage()',
      returnByValue: true,
    })
    const { heapUsed, external, rss } = result.value
    return { heapBytes: heapUsed, externalBytes: external, residentBytes: rss }
  } finally {
    socket.terminate()
  }
}

interface Result {
  readonly result: { readonly value: NodeJS.MemoryUsage }
}

function ask(socket: WebSocket, method: string, params: object = {}): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${method}: no answer in time`)), PATIENCE_MS)
    socket.once('message', (data) => {
      clearTimeout(timer)
      const { error, result } = JSON.parse(String(data))
      if (error) reject(new Error(`${method}: ${error.message}`))
      else resolve(result)
    })
    socket.send(JSON.stringify({ id: 1, method, params }))
  })
}
