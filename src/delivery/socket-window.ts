// How many frames a receiver may have unread. With a few, a distant receiver would wait for a round trip after each of
// them; with many, a call would wait, whose frame goes behind them. So the window grows while it is full and pongs come
// fast, shrinks when they come later than the way takes, and is small again after a pause: a receiver that kept up with
// single events may be slow with many.

export interface SocketWindow {
  /** Queued frames that may be unread. */
  frames: number
  /** The shortest time from a ping to its pong since `measuredAtMs`: the way there and back, without a queue. */
  fastestMs: number
  measuredAtMs: number
  shrunkAtMs: number
  pongedAtMs: number
}

/** Also where memory is short. */
export const leastFrames = 16
const mostFrames = 256
/** How long a frame may wait behind others. */
const waitMs = 25
const pauseMs = 1_000
/** A connection may be led another way. Measured with few frames unread, since a frame waits for those before it. */
const measureAgainMs = 60_000

export const newWindow = (nowMs: number): SocketWindow => ({
  frames: leastFrames,
  fastestMs: Number.POSITIVE_INFINITY,
  measuredAtMs: nowMs,
  shrunkAtMs: Number.NEGATIVE_INFINITY,
  pongedAtMs: nowMs,
})

/** A frame goes out, and nothing is unread. */
export function windowBegun(window: SocketWindow, nowMs: number): void {
  if (nowMs - window.pongedAtMs > pauseMs) window.frames = leastFrames
}

interface Answered {
  readonly sentAtMs: number
  readonly nowMs: number
  /** How many frames were unread when the ping was sent. */
  readonly unread: number
  /** How many the pong has covered. */
  readonly frames: number
}

/** Doubles the window in a round trip, or halves it. */
export function adjustWindow(window: SocketWindow, { sentAtMs, nowMs, unread, frames }: Answered): void {
  const tookMs = nowMs - sentAtMs
  window.pongedAtMs = nowMs
  if (nowMs - window.measuredAtMs > measureAgainMs) {
    window.measuredAtMs = nowMs
    window.fastestMs = Number.POSITIVE_INFINITY
    window.frames = leastFrames
  }
  // Its frames waited for many others.
  if (sentAtMs < window.measuredAtMs) return
  window.fastestMs = Math.min(window.fastestMs, tookMs)
  if (tookMs <= window.fastestMs + waitMs) {
    if (unread * 2 >= window.frames) window.frames = Math.min(mostFrames, window.frames + frames)
  } else if (sentAtMs >= window.shrunkAtMs) {
    // What was sent before it shrank says the same once more.
    window.frames = Math.max(leastFrames, Math.floor(window.frames / 2))
    window.shrunkAtMs = nowMs
  }
}
