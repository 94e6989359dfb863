// Deadlines for promises that have none of their own.

export class DeadlineExceeded extends Error {
  constructor(what: string) {
    super(`${what} took too long`)
  }
}

/**
 * Calls `expire` after `ms`, in two halves: if the process stood still in one of them, the question may not have been sent
 * before the other. After a halt timers run before sockets are read, and what setImmediate takes runs after that: `expire`
 * uses it where an answer may be here, unread. Returns what cancels it.
 */
export function afterHalves(ms: number, expire: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(expire, ms / 2)
  }, ms / 2)
  return () => clearTimeout(timer)
}

/**
 * Rejects with DeadlineExceeded after `ms`. The work continues, so its outcome is unknown, not failed.
 * A process that stood still says nothing about others: time that it cannot have listened does not count.
 */
export function withDeadline<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new DeadlineExceeded(what))
    const cancel = afterHalves(ms, () => setImmediate(expire))
    promise.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (reason: unknown) => {
        cancel()
        reject(reason)
      },
    )
  })
}
