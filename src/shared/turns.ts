// Limits how many tasks run at once. The others wait in order of arrival.

/** `beforeWait` gets the number of tasks that wait already. Where it throws, the task is refused. */
export function createTurns(atOnce: number, beforeWait: (waiting: number) => void = () => {}) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= atOnce) {
      beforeWait(waiting.length)
      // A finished task hands its slot to the next one, so `running` does not change then.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
