// The time limit of calls over a WebSocket.
import { failure } from './attempt.ts'
import type { Work } from './endpoint.ts'
import type { EndpointState } from './endpoint-state.ts'
import { finish, reportOf, type Turn } from './endpoint-work.ts'
import { callOverdue } from './socket-pings.ts'
import { unreadFrames } from './socket-state.ts'

/** A call has waited for all of its five seconds: for a socket, or for the proof that it was read. */
export function directDue(turn: Turn, id: number): void {
  const { state } = turn
  const work = waitingCall(state, id) ?? unreadCall(turn, id)
  const outcome = failure(state.socket.phase === 'open' ? 'BACKPRESSURE' : 'TIMEOUT')
  if (work) finish(turn, work, reportOf(outcome, turn.options.directTimeoutMs))
}

function waitingCall({ urgent }: EndpointState, id: number): Work | undefined {
  const index = urgent.findIndex((work) => work.id === id)
  return index < 0 ? undefined : urgent.splice(index, 1)[0]
}

function unreadCall(turn: Turn, id: number): Work | undefined {
  const { socket } = turn.state
  if (socket.phase !== 'open') return undefined
  const frame = [...unreadFrames(socket), ...socket.writing.values()].find(
    ({ work, isAnswered }) => work.type === 'direct' && work.id === id && !isAnswered,
  )
  if (!frame) return undefined
  frame.isAnswered = true
  callOverdue(turn, socket)
  return frame.work
}
