// The log of a process: one JSON line per unit of work. Removes secrets, as a second safeguard.
import pino, { type DestinationStream, type Logger } from 'pino'
import { errorFields } from '../../shared/error-text.ts'
import type { Settings } from '../config/settings.ts'

const secretKeys = ['authorization', 'apiKey', 'secret', 'password', 'sdp', 'text', 'body']

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const holdsSecret = (fields: Fields): boolean => secretKeys.some((key) => Object.hasOwn(fields, key))

const without = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !secretKeys.includes(key)))

/**
 * Fields without secrets, on the first two levels. There is almost never a secret to remove, and then the
 * fields are not copied: pino's own redaction copies every line, which took a sixth of all memory of a call.
 */
function withoutSecrets(fields: Fields): Fields {
  const isClean =
    !holdsSecret(fields) && !Object.values(fields).some((value) => isObject(value) && needsCare(value))
  if (isClean) return fields
  return Object.fromEntries(Object.entries(without(fields)).map(([key, value]) => [key, shown(value)]))
}

const needsCare = (value: Fields): boolean => value instanceof Error || holdsSecret(value)

function shown(value: unknown): unknown {
  if (value instanceof Error) return errorFields(value)
  return isObject(value) && holdsSecret(value) ? without(value) : value
}

const flushMs = 100
/** While nobody reads the log, so much of it waits in memory; later lines are dropped and counted. */
const mostWaiting = 32 * 1024 * 1024

/** What is buffered is written by `flush`, and of a full buffer at once; `write` tells how many bytes were written. */
interface LineBuffer {
  write(line: string): unknown
  flush(): void
  flushSync(): void
  on(event: 'write', listener: (bytes: number) => void): unknown
}

const lineBuffer = (): LineBuffer => pino.destination({ sync: false, minLength: 8_192 })

const dropped = (lines: number): string =>
  `${JSON.stringify({ level: 'error', time: new Date().toISOString(), lines, event: 'log.lines_dropped' })}\n`

/**
 * Buffered, because a write per line would be a system call per line. The buffer is written on exit, but not on kill -9.
 * The timer runs only while something waits: with the periodic flush of pino a thread writes nothing ten times a second.
 */
export function bufferedLines(to = lineBuffer()): DestinationStream & { flushSync(): void } {
  let timer: NodeJS.Timeout | undefined
  let waitingBytes = 0
  let lost = 0
  to.on('write', (bytes) => {
    waitingBytes -= bytes
  })
  const add = (line: string): void => {
    waitingBytes += Buffer.byteLength(line)
    to.write(line)
  }
  const tick = () => {
    timer = waitingBytes > 0 ? setTimeout(tick, flushMs).unref() : undefined
    if (timer) to.flush()
  }
  return {
    write(line) {
      if (waitingBytes >= mostWaiting) {
        lost += 1
        return
      }
      if (lost > 0) add(dropped(lost))
      lost = 0
      add(line)
      timer ??= setTimeout(tick, flushMs).unref()
    },
    flushSync: () => to.flushSync(),
  }
}

export const createLogger = (
  settings: Pick<Settings, 'LOG_LEVEL'>,
  name: string,
  to: DestinationStream = bufferedLines(),
): Logger =>
  pino(
    {
      name,
      level: settings.LOG_LEVEL,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
    },
    to,
  )
