// Reads one further of a source while the one before is being used.

export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const step = await next
      if (step.done) return
      next = iterator.next()
      // Whoever asks for it hears of it.
      next.catch(() => undefined)
      yield step.value
    }
  } finally {
    // Not waited for: it may be waiting for somebody who is slow.
    iterator.return?.().catch(() => undefined)
  }
}
