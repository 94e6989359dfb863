// The body of a request as JSON: media type, compression, size, encoding, syntax, in this order.
import { isUtf8 } from 'node:buffer'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from './exchange.ts'

const json = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

export async function readJson(
  request: Pick<HttpRequest, 'header' | 'body'>,
  limitBytes: number,
): Promise<unknown> {
  const type = request.header('content-type') ?? ''
  if (type !== 'application/json' && !json.test(type))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as JSON, with Content-Type: application/json')
  if ((request.header('content-encoding') ?? 'identity') !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body uncompressed, without Content-Encoding')
  const bytes = await request.body(limitBytes)
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
