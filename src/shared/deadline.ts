// Deadlines for promises that have none of their own.

export class DeadlineExceeded extends Error {
  constructor(what: string) {
    super(`${what} took too long`)
  }
}

/** Rejects with DeadlineExceeded after `ms`. The work continues, so its outcome is unknown, not failed. */
export function withDeadline<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineExceeded(what)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
