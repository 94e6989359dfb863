import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { limits } from '../../contract/limits.ts'
import type { WebhookTarget } from '../address-rule.ts'
import type { AttemptErrorCode } from '../attempt.ts'
import { type Answer, answerOf, BodyHead } from './answer.ts'
import type { Deadline } from './deadline.ts'

export interface UpgradeRequest {
  readonly socket: Socket
  readonly target: WebhookTarget
  readonly headers: Readonly<Record<string, string>>
  readonly deadline: Deadline
}

export type Upgraded =
  | { readonly type: 'open'; readonly websocket: WebSocket }
  | { readonly type: 'answered'; readonly answer: Answer }
  | { readonly type: 'failed'; readonly code: AttemptErrorCode }

/** Receivers have nothing to send on a socket, so incoming frames need little room. */
const MAX_INCOMING_FRAME_BYTES = 4 * 1024
const MAX_PENDING_PONGS = 8
const CLOSE_TIMEOUT_MS = 1_000
/** A 1xx is not the answer. A receiver that sends nothing else is not waited for. */
const MAX_EARLY_ANSWERS = 16

/**
 * Requests a WebSocket on an existing connection. Anything but a 101 is an ordinary answer, and no redirect
 * is followed. Never rejects. Unless the WebSocket opened, the connection is ended.
 */
export function upgrade({ socket, target, headers, deadline }: UpgradeRequest): Promise<Upgraded> {
  return new Promise((resolve) => {
    const websocket = new WebSocket(
      `${target.scheme}://${target.authority}`,
      [],
      clientOptions(socket, target, headers),
    )
    let isOver = false
    const finish = (upgraded: Upgraded) => {
      deadline.signal.removeEventListener('abort', stop)
      if (isOver) return
      isOver = true
      resolve(upgraded)
      if (upgraded.type !== 'open') socket.destroy()
    }
    const stop = () => finish({ type: 'failed', code: deadline.isInterrupted() ? 'INTERRUPTED' : 'TIMEOUT' })
    deadline.signal.addEventListener('abort', stop, { once: true })
    if (deadline.signal.aborted) stop()

    // Never removed. After the opening, the close event says what matters.
    websocket.on('error', (error) => finish({ type: 'failed', code: errorCode(error) }))
    websocket.once('open', () => finish({ type: 'open', websocket }))
    // When this event has a listener, the library does not end the request: the listener must.
    websocket.once('unexpected-response', (_request, response: IncomingMessage) => {
      deadline.signal.removeEventListener('abort', stop)
      void readAnswer(response, deadline).then((answer) => finish({ type: 'answered', answer }))
    })
  })
}

function clientOptions(
  socket: Socket,
  target: WebhookTarget,
  headers: Readonly<Record<string, string>>,
): ClientOptions & { closeTimeout: number; maxPendingAutoPongs: number } {
  return {
    createConnection: () => socket,
    headers,
    // The URL parser of the library would rewrite what the operator typed.
    finishRequest(request) {
      request.path = target.path
      let earlyAnswers = 0
      request.on('information', () => {
        earlyAnswers += 1
        if (earlyAnswers > MAX_EARLY_ANSWERS) request.destroy(new Error('too many early answers'))
      })
      request.end()
    },
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: MAX_INCOMING_FRAME_BYTES,
    maxPendingAutoPongs: MAX_PENDING_PONGS,
    closeTimeout: CLOSE_TIMEOUT_MS,
  }
}

/** The status line is the verdict. Of the body, keeps what comes in time and fits. */
function readAnswer(response: IncomingMessage, deadline: Deadline): Promise<Answer> {
  const body = new BodyHead()
  return new Promise((resolve) => {
    const finish = () => {
      deadline.signal.removeEventListener('abort', finish)
      resolve(answerOf(response.statusCode ?? 0, response.headers, body))
    }
    response.on('error', finish)
    response.once('close', finish)
    response.once('end', finish)
    response.on('data', (chunk: Uint8Array) => {
      body.add(chunk)
      if (body.seenBytes >= limits.responseBodyBytes) finish()
    })
    deadline.signal.addEventListener('abort', finish, { once: true })
    if (deadline.signal.aborted) finish()
  })
}

function errorCode(error: NodeJS.ErrnoException): AttemptErrorCode {
  const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE'
  return isBroken ? 'CONNECTION_RESET' : 'INVALID_RESPONSE'
}
