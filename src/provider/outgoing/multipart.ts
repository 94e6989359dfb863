// Builds the multipart body of an upload in memory: requests to the provider are never streamed.
import { randomUUID } from 'node:crypto'
import type { MediaFile } from '../../contract/provider.ts'

export interface Form {
  readonly contentType: string
  readonly body: Buffer
}

export function multipart(fields: Readonly<Record<string, string>>, file: MediaFile): Form {
  const boundary = `switchboard-${randomUUID()}`
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const begin = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted(file.fileName)}"\r\ncontent-type: ${file.mimeType}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(head.join('') + begin),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  }
}

/** Escapes a file name as browsers do, so that it cannot end the header. */
const quoted = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
