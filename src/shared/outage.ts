// Tells an outage of a server from an error of what it was asked: the same statement may succeed later.

// Error codes of sockets and of the Postgres driver.
const outageCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])

// SQLSTATE: connection exceptions (08), insufficient resources (53), shutdown or statement timeout (57), a lock that
// was not free in time (55P03), read-only after a failover (25006), serialization failure and deadlock (40).
const outageStates = /^(08|53|57|40)...$|^55P03$|^25006$/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** The same statement may succeed when it is repeated. */
export const isOutage = (error: unknown): boolean =>
  outageCodes.has(codeOf(error)) || outageStates.test(codeOf(error))

/** A time-out of the server: it costs each further statement as much time as this one. */
export const isStall = (error: unknown): boolean =>
  ['55P03', '57014', 'CONNECT_TIMEOUT', 'ETIMEDOUT'].includes(codeOf(error))

/** Whatever else is asked now fails in the same way, at the same price. A deadlock is a matter of two alone. */
export const failsOthersToo = (error: unknown): boolean => isOutage(error) && !/^40...$/.test(codeOf(error))

/** This process has closed the pool: whatever is repeated fails again. */
export const isClosed = (error: unknown): boolean =>
  ['CONNECTION_ENDED', 'CONNECTION_DESTROYED'].includes(codeOf(error))
