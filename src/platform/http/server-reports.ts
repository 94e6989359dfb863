// What a server tells of requests besides their handlers: their faults, and those that no handler gets.
import type { Logger } from 'pino'
import type { ErrorCode } from '../../contract/errors.ts'
import type { Clock } from '../../shared/clock.ts'
import { faultLevel } from './error-response.ts'
import type { ListenOptions } from './listen-options.ts'

export interface ReportOptions {
  readonly clock: Pick<Clock, 'mono'>
  readonly log: Pick<Logger, 'warn' | 'error'>
  /** Counts what no handler gets. */
  readonly count: (code: ErrorCode) => void
}

/** Whoever floods us must not flood the log. */
const betweenMs = 1_000

export function serverReports({
  clock,
  log,
  count,
}: ReportOptions): Required<Pick<ListenOptions, 'onFault' | 'onRefused'>> {
  let codes: Partial<Record<ErrorCode, number>> = {}
  let quietUntil = Number.NEGATIVE_INFINITY
  return {
    onFault: (error, requestId) => log[faultLevel(error)]({ requestId, err: error }, 'request.failed'),
    onRefused(code) {
      count(code)
      codes[code] = (codes[code] ?? 0) + 1
      if (clock.mono() < quietUntil) return
      log.warn({ codes }, 'requests.refused')
      codes = {}
      quietUntil = clock.mono() + betweenMs
    },
  }
}
