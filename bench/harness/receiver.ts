// The customer's endpoint: records when each frame or POST arrives. Runs in its own process.

import * as uws from 'uWebSockets.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { nowNs } from './monotonic.ts'
import { serve } from './part.ts'

export interface Arrived {
  readonly event: string
  /** The id that the webhook and the frame share: the wacid, or the wamid inside the text. */
  readonly id: string
  readonly atNs: number
}

export interface ReceiverProtocol {
  /** The answer is the port. */
  listen: { question: null; answer: number }
  /** Waits for this many frames, then 300 ms longer for surplus frames. Removes the returned frames. */
  collect: { question: { frames: number; timeoutMs: number }; answer: Arrived[] }
}

const graceMs = 300
let frames: { atNs: number; bytes: Buffer }[] = []

function listen(): Promise<number> {
  const app = uws.App()
  app.ws('/*', {
    idleTimeout: 0,
    maxPayloadLength: 1024 * 1024,
    // Only record the time and copy the bytes. Parsing waits until the run is over.
    message(_socket, frame) {
      const atNs = nowNs()
      frames.push({ atNs, bytes: Buffer.from(frame.slice(0)) })
    },
  })
  app.post('/*', (response) => {
    const chunks: Buffer[] = []
    response.onAborted(() => undefined)
    response.onData((chunk, isLast) => {
      const atNs = nowNs()
      chunks.push(Buffer.from(chunk.slice(0)))
      if (!isLast) return
      frames.push({ atNs, bytes: Buffer.concat(chunks) })
      response.end()
    })
  })
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => {
      if (socket) resolve(uws.us_socket_local_port(socket as never))
      else reject(new Error('the receiver cannot listen'))
    })
  })
}

interface Body {
  readonly event: string
  readonly call?: { readonly wacid: string }
  readonly data?: { readonly wacid?: string; readonly text?: string }
}

function read({ atNs, bytes }: { atNs: number; bytes: Buffer }): Arrived {
  const { event, call, data } = JSON.parse(bytes.toString()) as Body
  const id = call?.wacid ?? data?.wacid ?? data?.text?.split(' ').at(-1) ?? ''
  return { event, id, atNs }
}

serve<ReceiverProtocol>({
  listen,
  async collect({ frames: expected, timeoutMs }) {
    const deadline = performance.now() + timeoutMs
    while (frames.length < expected && performance.now() < deadline) await sleep(10)
    await sleep(graceMs)
    const arrived = frames.map(read)
    frames = []
    return arrived
  },
})
