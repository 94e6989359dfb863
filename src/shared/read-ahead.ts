// Reads the next item of a source while the consumer uses the current one.

export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const step = await next
      if (step.done) return
      next = iterator.next()
      // Avoids an unhandled rejection: the `await` of the next round reports the error.
      next.catch(() => undefined)
      yield step.value
    }
  } finally {
    // Not awaited: a pending read may wait for a slow client.
    iterator.return?.().catch(() => undefined)
  }
}
