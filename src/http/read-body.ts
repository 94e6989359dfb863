// The body of a request as a value: media type, compression, size, encoding, syntax, in this order.
import { isUtf8 } from 'node:buffer'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from './exchange.ts'
import type { BodyReader } from './route.ts'

const form = /^([a-z]+\/[a-z]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

const json = 'application/json'

/** JSON, or one of the further media types, each with what makes a value of its bytes. */
export async function readBody(
  request: Pick<HttpRequest, 'header' | 'body'>,
  limitBytes: number,
  further: Readonly<Record<string, BodyReader>> = {},
): Promise<unknown> {
  const type = mediaType(request.header('content-type') ?? '')
  const read = type === json ? parseJson : Object.entries(further).find(([name]) => name === type)?.[1]
  if (!read) {
    const types = [json, ...Object.keys(further)].join(' or ')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `send the body with Content-Type: ${types}, in UTF-8`)
  }
  if ((request.header('content-encoding') ?? 'identity') !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body uncompressed, without Content-Encoding')
  return read(await request.body(limitBytes))
}

const mediaType = (header: string): string | undefined =>
  header === json ? json : form.exec(header)?.[1]?.toLowerCase()

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw malformed('the body is empty; send a JSON object')
  if (!isUtf8(bytes)) throw malformed('the body must be JSON in UTF-8')
  try {
    return JSON.parse(asBuffer(bytes).toString('utf8'))
  } catch {
    throw malformed('the body must be JSON')
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const malformed = (message: string): AppError => new AppError('MALFORMED_JSON', message)
