// The blob port: bytes under a key. Adapters in src/blobs.

/** Inclusive, as in an HTTP range; both within the blob. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface PutRules {
  readonly limitBytes: number
  /** Hex digest that the bytes must have; null: any will do. */
  readonly sha256: string | null
  /** Breaks it off: nothing is stored, and its reason is thrown. */
  readonly signal?: AbortSignal
}

export type PutResult =
  | { readonly type: 'stored'; readonly sizeBytes: number; readonly sha256: string }
  /** Nothing is stored in these two cases. */
  | { readonly type: 'tooLarge' }
  | { readonly type: 'mismatch'; readonly sha256: string }

export interface OpenBlob {
  /** Of the whole blob. */
  readonly sizeBytes: number
  /** Once only. Holds nothing open before it is read, and nothing after its reader has left. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The store refused, failed, or did not answer in time. Its message is fit for a log. */
export class BlobStoreError extends Error {}

/** Keys are made of letters, digits, `_`, `-` and single slashes between; anything else is thrown at. */
export interface BlobStore {
  /** All or nothing, and durable when resolved; replaces what was there. Throws what `body` throws. */
  put(key: string, body: AsyncIterable<Uint8Array>, rules: PutRules): Promise<PutResult>
  /** Undefined where there is no such blob. */
  open(key: string, range?: ByteRange): Promise<OpenBlob | undefined>
  /** The same whether there was one or not. */
  delete(key: string): Promise<void>
  /** At the end of the process: what is still under way may break off. */
  close(): Promise<void>
}
