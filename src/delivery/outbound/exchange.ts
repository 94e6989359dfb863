import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { mark } from '../../shared/marks.ts'
import type { AttemptErrorCode } from '../attempt.ts'
import { type Answer, answerOf, BodyHead } from './answer.ts'
import type { Connection } from './connections.ts'
import type { Deadline } from './deadline.ts'

export interface ExchangeRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type Exchanged =
  | { readonly type: 'answered'; readonly answer: Answer; readonly firstByteMs: number }
  | { readonly type: 'failed'; readonly code: AttemptErrorCode; readonly detail?: string }

type Head = { statusCode: number; headers: IncomingHttpHeaders; firstByteMs: number }

/** Reading the rest of a longer body costs more than a new connection. */
const MAX_DRAIN_BYTES = 64 * 1024
/** 1xx answers, chunk extensions and trailers are not part of the body: this is their only limit. */
const MAX_RECEIVED_BYTES = 256 * 1024

/**
 * One POST and its answer on one connection. The status line is the verdict. The body is read while it is
 * short and time is left. A connection that cannot carry another request afterwards is ended. Never rejects.
 */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
  deadline: Deadline,
): Promise<Exchanged> {
  const startedAt = performance.now()
  const body = new BodyHead()
  let head: Head | undefined
  const receivedBefore = connection.receivedBytes()
  connection.expectAnswer()

  return new Promise((resolve) => {
    const finish = (code: AttemptErrorCode) => {
      deadline.onOver = undefined
      connection.onReceived = () => {}
      resolve(head ? answered(head, body) : { type: 'failed', code })
    }
    const breakOff = (code: AttemptErrorCode) => {
      finish(code)
      connection.end()
    }
    const stop = () => breakOff(deadline.isInterrupted() ? 'INTERRUPTED' : 'TIMEOUT')

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, statusCode, headers) {
        head = { statusCode, headers, firstByteMs: performance.now() - startedAt }
      },
      onResponseData(_controller, chunk) {
        body.add(chunk)
        if (body.seenBytes > MAX_DRAIN_BYTES) breakOff('TIMEOUT')
      },
      onResponseEnd: () => finish('INVALID_RESPONSE'),
      onResponseError: (_controller, error) => breakOff(errorCode(error, connection.heard)),
    }
    connection.onReceived = () => {
      if (connection.receivedBytes() - receivedBefore > MAX_RECEIVED_BYTES) breakOff('INVALID_RESPONSE')
    }
    deadline.onOver = stop
    if (deadline.isOver) return stop()
    connection.client.dispatch({ method: 'POST', ...request }, handler)
    mark('written', request.body)
  })
}

const answered = ({ statusCode, headers, firstByteMs }: Head, body: BodyHead): Exchanged => ({
  type: 'answered',
  answer: answerOf(statusCode, headers, body),
  firstByteMs,
})

function errorCode(error: NodeJS.ErrnoException, heard: boolean): AttemptErrorCode {
  const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE'
  return heard && !isBroken ? 'INVALID_RESPONSE' : 'CONNECTION_RESET'
}
