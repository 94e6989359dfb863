// Deadlines for promises that have none of their own.

export class DeadlineExceeded extends Error {
  constructor(what: string) {
    super(`${what} took too long`)
  }
}

/**
 * Rejects with DeadlineExceeded after `ms`. The work continues, so its outcome is unknown, not failed.
 * A process that stood still says nothing about others: time that it cannot have listened does not count.
 */
export function withDeadline<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout
    const expire = () => reject(new DeadlineExceeded(what))
    // Two halves: if the process stood still in one of them, the question may not have been sent before the other.
    // After a halt timers run before sockets are read, and what setImmediate takes runs after that.
    const startSecondHalf = () => {
      timer = setTimeout(() => setImmediate(expire), ms / 2)
    }
    timer = setTimeout(startSecondHalf, ms / 2)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (reason: unknown) => {
        clearTimeout(timer)
        reject(reason)
      },
    )
  })
}
