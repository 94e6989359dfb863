// Sends this gateway a message on each way that others use: its own internal port, and its own inbox. A gateway that
// neither reaches is out of reach for the others too, however well it feels, so it gives its actors up.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { Probed } from './rpc-client.ts'

export interface SelfPingOptions {
  /** Asks the registered address of this gateway. */
  readonly probe: () => Promise<Probed>
  /** Puts a ping into the inbox of this gateway. Rejects where that fails. */
  readonly post: (pingId: string) => Promise<void>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'info'>
}

export interface SelfPing {
  /** A ping came out of the inbox. */
  took(pingId: string): void
  /** Milliseconds since both ways are down; 0: one of them works. */
  awayMs(): number
  stop(): void
}

const everyMs = 2_000
/** A single miss may be a moment of load, or a restart of Redis. */
const missesForDown = 3

export function startSelfPing({ probe, post, clock, log }: SelfPingOptions): SelfPing {
  const misses = { port: 0, inbox: 0 }
  let downSince: number | undefined
  let posted: string | undefined
  let timer: Timer = clock.after(everyMs, next)
  let isOver = false

  function judge(): void {
    const isDown = misses.port >= missesForDown && misses.inbox >= missesForDown
    if (isDown === (downSince !== undefined)) return
    downSince = isDown ? clock.mono() : undefined
    if (isDown) log.warn({ ...misses }, 'node.out_of_reach')
    else log.info({}, 'node.in_reach')
  }

  async function ping(): Promise<void> {
    // What was posted the last time has had two seconds to come out again.
    misses.inbox = posted === undefined ? 0 : misses.inbox + 1
    const pingId = crypto.randomUUID()
    posted = pingId
    const [probed] = await Promise.all([probe(), post(pingId).catch(() => undefined)])
    misses.port = probed === 'answers' ? 0 : misses.port + 1
    judge()
  }

  function next(): void {
    void ping().finally(() => {
      if (!isOver) timer = clock.after(everyMs, next)
    })
  }

  return {
    took(pingId) {
      if (pingId !== posted) return
      posted = undefined
      misses.inbox = 0
      judge()
    },
    awayMs: () => (downSince === undefined ? 0 : clock.mono() - downSince),
    stop() {
      isOver = true
      timer.cancel()
    },
  }
}
