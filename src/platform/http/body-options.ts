// What bounds the body of a request, and the refusals past those bounds.
import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../shared/clock.ts'
import type { BodyRoom } from './body-room.ts'
import { leastBytesPerSecond } from './least-rate.ts'

/** Connections that have their response, and whose bodies are dropped. They are no requests in flight any more. */
export interface Lingering {
  count: number
  readonly max: number
}

export interface BodyOptions {
  readonly room: BodyRoom
  readonly lingering: Lingering
  /** From the start of reading to the last byte. A slower client is disconnected. */
  readonly deadlineMs: number
  /** The same for a body that is read as a stream. Each piece must also arrive within `deadlineMs`. */
  readonly streamDeadlineMs: number
  /** How long a stream may be slower than its least rate. */
  readonly slowMs: number
  /** How long a client that has its refusal may be silent before its connection is closed. */
  readonly lingerMs: number
  readonly clock: Clock
}

export const tooLarge = (limitBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `the body must not be larger than ${limitBytes} bytes`)

export const tooSlow = (): AppError =>
  new AppError(
    'BODY_TOO_SLOW',
    `the body came slower than ${leastBytesPerSecond / 1024} KiB/s for too long; send it again at once`,
  )

export const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'this process holds too many request bodies; try again shortly', {
    retryAfterSeconds: 1,
  })
