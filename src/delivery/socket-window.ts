// How many frames a receiver may have unread. A few would fill a round trip to a distant receiver with waiting; too many
// would hold up a call, whose frame goes behind them. So the window grows while pongs come fast, and shrinks when they
// come later than the way takes.

export interface SocketWindow {
  /** Queued frames that may be unread. */
  frames: number
  /** The shortest time from a ping to its pong since `measuredAtMs`: the way there and back, without a queue. */
  fastestMs: number
  measuredAtMs: number
  shrunkAtMs: number
}

/** Also where memory is short. */
export const leastFrames = 16
const mostFrames = 256
/** How long a frame may wait behind others. */
const waitMs = 25
/** A connection may be led another way. */
const measureAgainMs = 60_000

export const newWindow = (nowMs: number): SocketWindow => ({
  frames: leastFrames,
  fastestMs: Number.POSITIVE_INFINITY,
  measuredAtMs: nowMs,
  shrunkAtMs: Number.NEGATIVE_INFINITY,
})

/** A pong has come that covers so many frames. Doubles the window in a round trip, or halves it. */
export function adjustWindow(
  window: SocketWindow,
  { sentAtMs, frames, nowMs }: { readonly sentAtMs: number; readonly frames: number; readonly nowMs: number },
): void {
  const tookMs = nowMs - sentAtMs
  if (tookMs < window.fastestMs || nowMs - window.measuredAtMs > measureAgainMs) {
    window.fastestMs = tookMs
    window.measuredAtMs = nowMs
  }
  if (tookMs <= window.fastestMs + waitMs) window.frames = Math.min(mostFrames, window.frames + frames)
  // What was sent before it shrank says the same once more.
  else if (sentAtMs >= window.shrunkAtMs) {
    window.frames = Math.max(leastFrames, Math.floor(window.frames / 2))
    window.shrunkAtMs = nowMs
  }
}
