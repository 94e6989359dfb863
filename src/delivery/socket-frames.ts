// Hands frames to the open socket.
import type { Work } from './endpoint.ts'
import { nextToken, queueOf } from './endpoint-state.ts'
import type { Turn } from './endpoint-work.ts'
import { frameBegun, type Handed } from './socket-pings.ts'
import type { Frame, OpenSocket } from './socket-state.ts'

/** What the socket makes of it comes as `frameDone`. */
export function write(turn: Turn, open: OpenSocket, work: Work): Handed {
  const { state, effects } = turn
  const id = nextToken(state)
  const bytes = Buffer.byteLength(work.item.body)
  const now = turn.at.getTime()
  frameBegun(turn, open, bytes)
  const frame = frameOf(open, { work, bytes, now })
  open.writing.set(id, frame)
  open.used = true
  open.lastEventAtMs = now
  const effect: Handed['effect'] = {
    type: 'frame',
    token: open.token,
    frame: id,
    item: work.item,
    ping: undefined,
  }
  effects.push(effect)
  // Frames of a key keep their order in the stream, so the next one need not wait for this verdict.
  if (work.type === 'queued') queueOf(state, work.item).release(work.item.key)
  return { frame, effect }
}

/** The dial is part of the first frame's attempt. */
function frameOf({ opening, used }: OpenSocket, begun: { work: Work; bytes: number; now: number }): Frame {
  const { startedAtMs, timings, remoteAddress } = opening
  return {
    work: begun.work,
    bytes: begun.bytes,
    startedAtMs: used ? begun.now : startedAtMs,
    facts: { timings: used ? {} : timings, remoteAddress, reusedConnection: used },
    ping: undefined,
    isAnswered: false,
    isOutdated: false,
  }
}
