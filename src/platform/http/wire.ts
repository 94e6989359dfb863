// Types of the part of uWebSockets.js that this layer uses. Only uws.ts imports the package.

export interface WireRequest {
  getCaseSensitiveMethod(): string
  getUrl(): string
  getQuery(): string | undefined
  forEach(visit: (name: string, value: string) => void): void
}

export interface WireResponse {
  /** Writes `HTTP/1.1 <status>` and the end of the line. */
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  write(chunk: Uint8Array): boolean
  tryEnd(chunk: string | Uint8Array, totalSize: number): [boolean, boolean]
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown
  endWithoutBody(): unknown
  close(): unknown
  pause(): void
  resume(): void
  cork(write: () => void): unknown
  getWriteOffset(): number
  getRemoteAddressAsText(): ArrayBuffer
  onAborted(run: () => void): unknown
  onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
  onWritable(run: (offset: number) => boolean): unknown
}
