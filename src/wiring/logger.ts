// The log of a process: one JSON line per unit of work. What must never be in it is cut out here once more.
import pino, { type Logger } from 'pino'
import type { Settings } from '../config/settings.ts'

const secretPaths = [
  'authorization',
  'apiKey',
  'secret',
  'password',
  'sdp',
  'text',
  'body',
  '*.authorization',
  '*.apiKey',
  '*.secret',
  '*.password',
  '*.sdp',
  '*.text',
  '*.body',
]

// A write for every line would be a system call for every line; what waits is written on exit too, but not on kill -9.
const destination = () => pino.destination({ sync: false, minLength: 8_192, periodicFlush: 100 })

export const createLogger = (settings: Pick<Settings, 'LOG_LEVEL'>, name: string): Logger =>
  pino(
    {
      name,
      level: settings.LOG_LEVEL,
      messageKey: 'event',
      redact: { paths: secretPaths, remove: true },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination(),
  )
