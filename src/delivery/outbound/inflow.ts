// Receivers have nothing to send on a socket. One that sends anyway is read slowly, so that it costs the
// other endpoints of this process no time.
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

const BYTES_PER_SECOND = 64 * 1024

/**
 * When more than that comes within a second, stops reading for the rest of the second. Then the receiver's
 * own buffers fill up and hold it back.
 */
export function throttleInflow(websocket: WebSocket, socket: Socket): void {
  let startedAt = performance.now()
  let startBytes = socket.bytesRead
  let timer: NodeJS.Timeout | undefined
  socket.on('data', () => {
    const now = performance.now()
    if (now - startedAt >= 1_000) {
      startedAt = now
      startBytes = socket.bytesRead
    }
    if (timer !== undefined || socket.bytesRead - startBytes <= BYTES_PER_SECOND) return
    websocket.pause()
    timer = setTimeout(
      () => {
        timer = undefined
        websocket.resume()
      },
      startedAt + 1_000 - now,
    )
  })
  websocket.once('close', () => clearTimeout(timer))
}
