// Idempotency keys of requests that make a resource: one key makes one resource.
import { digestOf } from '../shared/digest.ts'
import { AppError } from './errors.ts'

/** A key that the caller chose, and the SHA-256 in hex of what the request asks for. */
export interface RequestKey {
  readonly key: string
  readonly hash: string
}

/** What the first request with a key has made. */
export interface EarlierRequest {
  readonly id: string
  readonly hash: string
}

/** The result of a request that can be repeated by its key. */
export interface Made<Record> {
  readonly record: Record
  /** The record was made by an earlier request with the same key. */
  readonly replayed: boolean
}

/** Equal for equal values, whatever the order of their fields. Null without a key. */
export const requestKey = (key: string | null, asked: unknown): RequestKey | null =>
  key === null ? null : { key, hash: digestOf(asked) }

/** Throws if the earlier request asked for something else. */
export function checkSameRequest(earlier: EarlierRequest, given: RequestKey): void {
  if (earlier.hash === given.hash) return
  throw new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'this Idempotency-Key was used with another body; use a new key for another request',
  )
}
