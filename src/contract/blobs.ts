// The blob port: bytes stored under a key. Its adapters are in src/platform/blobs.

/** Both ends are inclusive, as in an HTTP range, and lie within the blob. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface PutRules {
  readonly limitBytes: number
  /** Hex digest that the bytes must have; null: any digest. */
  readonly sha256: string | null
  /** Aborts `put`: nothing is stored, and `put` throws the reason of the signal. */
  readonly signal?: AbortSignal
}

export type PutResult =
  | { readonly type: 'stored'; readonly sizeBytes: number; readonly sha256: string }
  /** In these two cases, nothing is stored. */
  | { readonly type: 'tooLarge' }
  | { readonly type: 'mismatch'; readonly sha256: string }

export interface OpenBlob {
  /** The size of the whole blob, also for a range. */
  readonly sizeBytes: number
  /** Can be read once. Nothing is open before the first read, or after the reader has stopped. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The store refused, failed, or did not answer in time. Its message may be logged. */
export class BlobStoreError extends Error {}

/** Keys consist of letters, digits, `_`, `-` and single slashes between them. Any other key throws. */
export interface BlobStore {
  /** All or nothing, and durable when resolved. Replaces an existing blob. Throws what `body` throws. */
  put(key: string, body: AsyncIterable<Uint8Array>, rules: PutRules): Promise<PutResult>
  /** Undefined if there is no such blob. */
  open(key: string, range?: ByteRange): Promise<OpenBlob | undefined>
  /** Also succeeds if there is no such blob. */
  delete(key: string): Promise<void>
  /** Called at the end of the process. Operations in progress may be aborted. */
  close(): Promise<void>
}
