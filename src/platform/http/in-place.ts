// Answers a request in a place (places.ts), and leaves it however the request ends.
import type { HttpRequest } from './exchange.ts'
import type { Place } from './places.ts'
import { LinesAnswer, RawAnswer } from './route.ts'

/**
 * Enters, and leaves when `answer` has failed, when the body of what it returned has ended or was given up, or when
 * the client is gone. A client who is gone before takes no place.
 */
export async function inPlace<R>(
  { signal }: Pick<HttpRequest, 'signal'>,
  enter: () => Place,
  answer: () => Promise<R>,
): Promise<R> {
  // A listener that is added to an aborted signal is never called.
  signal.throwIfAborted()
  const place = enter()
  signal.addEventListener('abort', place.leave, { once: true })
  const leave = () => {
    signal.removeEventListener('abort', place.leave)
    place.leave()
  }
  try {
    const result = await answer()
    if (result instanceof LinesAnswer)
      return new LinesAnswer(untilOver(result.batches, leave), result.headers) as R
    if (result instanceof RawAnswer && isStreamed(result.body))
      return new RawAnswer(untilOver(result.body, leave), result.headers, result.status) as R
    leave()
    return result
  } catch (error) {
    leave()
    throw error
  }
}

const isStreamed = (body: RawAnswer['body']): body is AsyncIterable<Uint8Array> =>
  typeof body !== 'string' && !(body instanceof Uint8Array)

/** Not a generator: `return` on a generator that never started runs nothing of it. */
const untilOver = <T>(source: AsyncIterable<T>, leave: () => void): AsyncIterable<T> => ({
  [Symbol.asyncIterator]() {
    const steps = source[Symbol.asyncIterator]()
    return {
      async next() {
        try {
          const step = await steps.next()
          if (step.done) leave()
          return step
        } catch (error) {
          leave()
          throw error
        }
      },
      async return() {
        leave()
        await steps.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})
