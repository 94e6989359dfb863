// Builds the multipart body of an upload, in memory or as a stream.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { MediaFile } from '../../contract/provider.ts'

export interface Form {
  readonly contentType: string
  /** In bytes. */
  readonly length: number
  readonly body: Buffer | Readable
}

export function multipart(fields: Readonly<Record<string, string>>, file: MediaFile): Form {
  const boundary = `switchboard-${randomUUID()}`
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const begin = Buffer.from(
    `${head.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted(file.fileName)}"\r\ncontent-type: ${file.mimeType}\r\n\r\n`,
  )
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  const { bytes } = file
  const size = 'pieces' in bytes ? bytes.sizeBytes : bytes.byteLength
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: begin.byteLength + size + end.byteLength,
    body:
      'pieces' in bytes
        ? Readable.from(around(begin, bytes.pieces, end), { objectMode: false })
        : Buffer.concat([begin, bytes, end]),
  }
}

async function* around(begin: Buffer, pieces: AsyncIterable<Uint8Array>, end: Buffer) {
  yield begin
  yield* pieces
  yield end
}

/** Escapes a file name as browsers do, so that it cannot end the header. */
const quoted = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
