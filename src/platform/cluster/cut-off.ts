// A gateway that cannot reach Postgres, or that others cannot reach, gives its actors up, so that others serve them. It
// keeps them while no other gateway could do better: their sockets outlive a restart of Postgres.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { Registry } from './registry.ts'
import type { NodeSession } from './session.ts'

export interface CutOffOptions {
  readonly sid: string
  readonly session: Pick<NodeSession, 'state' | 'isPublished' | 'enter' | 'pause'>
  readonly registry: Pick<Registry, 'liveNodes'>
  /** Milliseconds since Postgres last answered, or since this gateway is out of reach; 0: all is well. */
  readonly awayMs: () => number
  readonly actors: () => Iterable<{ cutOff(): void; resume(): void }>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

const everyMs = 250
/** Others then know that this gateway cannot serve either, before anyone gives up. */
const announceMs = 1_500
const giveUpMs = 3_000

/** Returns the function that ends it. */
export function leaveWhileCutOff(options: CutOffOptions): () => void {
  const { clock } = options
  const look = createLook(options)
  let isOver = false
  const next = () => {
    if (!isOver) timer = clock.after(everyMs, () => void look().finally(next))
  }
  let timer: Timer | undefined
  next()
  return () => {
    isOver = true
    timer?.cancel()
  }
}

function createLook(options: CutOffOptions): () => Promise<void> {
  const { session, log, sid } = options
  let hasGivenUp = false

  async function giveUp(awayMs: number): Promise<void> {
    if (hasGivenUp || !(await othersServe(options))) return
    // Meanwhile the process may have begun to leave: its drain goes on.
    if (session.state !== 'cutOff') return
    hasGivenUp = true
    log.warn({ sid, awayMs: Math.round(awayMs) }, 'actors.given_up')
    for (const hosted of options.actors()) hosted.cutOff()
    await session.pause()
  }

  // Not earlier: until Redis has taken back that the session is dead, others take actors over without a silence.
  function resume(): void {
    if (!hasGivenUp || session.state !== 'serving' || !session.isPublished) return
    hasGivenUp = false
    for (const hosted of options.actors()) hosted.resume()
  }

  return async () => {
    const awayMs = options.awayMs()
    if (session.state === 'serving' && awayMs >= announceMs) await session.enter('cutOff')
    else if (session.state === 'cutOff' && awayMs >= giveUpMs) await giveUp(awayMs)
    else if (session.state === 'cutOff' && awayMs === 0) await session.enter('serving')
    resume()
  }
}

async function othersServe({ registry, sid }: CutOffOptions): Promise<boolean> {
  const nodes = await registry.liveNodes().catch(() => [])
  return nodes.some((node) => node.sid !== sid && node.state === 'serving')
}
