// Streams many values as NDJSON (application/x-ndjson), one line each, at the speed of the reader.
import type { AppError } from '../../contract/errors.ts'
import { type ErrorContext, errorBody, toAppError } from './error-response.ts'
import { type HttpResponse, RequestAborted } from './exchange.ts'
import type { LinesAnswer } from './route.ts'

export const linesType = 'application/x-ndjson'

/** An error during streaming becomes the last line. `onFault` gets it when it is not the caller's mistake. */
export function linesResponse(
  { batches, headers }: LinesAnswer,
  request: ErrorContext,
  onFault: (refusal: AppError) => void,
): HttpResponse {
  const toLine = (error: unknown): Uint8Array => {
    if (error instanceof RequestAborted) throw error
    const refusal = toAppError(error)
    if (refusal.status >= 500) onFault(refusal)
    return encode([errorBody(refusal, request)])
  }
  return {
    status: 200,
    headers: { 'content-type': linesType, 'cache-control': 'no-store', ...headers },
    body: { [Symbol.asyncIterator]: () => encoded(batches[Symbol.asyncIterator](), toLine) },
  }
}

const encode = (values: readonly unknown[]): Uint8Array =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))

// Not a generator: `return` on a generator that never started would not reach `batches`.
function encoded(
  batches: AsyncIterator<readonly unknown[]>,
  toLine: (error: unknown) => Uint8Array,
): AsyncIterator<Uint8Array> {
  const end: IteratorResult<Uint8Array> = { done: true, value: undefined }
  let isOver = false
  return {
    async next() {
      if (isOver) return end
      try {
        const step = await batches.next()
        return step.done ? end : { done: false, value: encode(step.value) }
      } catch (error) {
        isOver = true
        return { done: false, value: toLine(error) }
      }
    },
    async return() {
      isOver = true
      await batches.return?.()
      return end
    },
  }
}
