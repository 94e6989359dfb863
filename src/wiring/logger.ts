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

export const createLogger = (settings: Pick<Settings, 'LOG_LEVEL'>, name: string): Logger =>
  pino({
    name,
    level: settings.LOG_LEVEL,
    messageKey: 'event',
    redact: { paths: secretPaths, remove: true },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
