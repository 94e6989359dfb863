// What a log may say of an error. Drivers attach rows, queries and parameters to their errors, and Postgres quotes
// values in some messages: they are customers' data.

/** SQLSTATE class 22: data that has the wrong form. Its messages quote the data. */
const dataException = /^22[0-9A-Z]{3}$/

/** The message, without the values that Postgres quotes. */
export function safeMessage(error: Error): string {
  if (error.name !== 'PostgresError') return error.message
  const { code } = error as Error & { readonly code?: unknown }
  const message = dataException.test(String(code))
    ? (error.message.split(/[":]/)[0] ?? '').trim()
    : error.message
  return `${message} (${String(code)})`
}

/** Fields that name parts of the schema and of the protocol, never values. */
const named = [
  'code',
  'errno',
  'syscall',
  'severity',
  'table_name',
  'column_name',
  'constraint_name',
  'routine',
]

const deepestCause = 3

/** An error as fields of a log line: an error of another shape says nothing else. */
export function errorFields(error: Error, depth = 0): Record<string, unknown> {
  const fields: Record<string, unknown> = { type: error.name, message: safeMessage(error) }
  for (const name of named) {
    const value = (error as unknown as Record<string, unknown>)[name]
    if (typeof value === 'string' || typeof value === 'number') fields[name] = value
  }
  const frames = framesOf(error)
  if (frames !== '') fields['stack'] = frames
  if (error.cause instanceof Error && depth < deepestCause)
    fields['cause'] = errorFields(error.cause, depth + 1)
  return fields
}

/** Where the error was thrown, without the message, which `stack` repeats. */
export const framesOf = (error: Error): string =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
