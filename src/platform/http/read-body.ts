// Reads a request body. Checks media type, compression, size, encoding and syntax, in this order. A route may
// also take other media types as a stream.
import { isUtf8 } from 'node:buffer'
import { AppError } from '../../contract/errors.ts'
import type { HttpRequest } from './exchange.ts'
import type { Upload, UploadRoute } from './route.ts'

// One expression for the whole header would try each way in which spaces can belong to its parts.
const form = /^[a-z]+\/[a-z0-9.+-]+$/
const parameter = /^(?:charset\s*=\s*"?utf-8"?|boundary=.+|codecs=.+|header=present)$/i

const json = 'application/json'

export async function readBody(
  request: Pick<HttpRequest, 'header' | 'body'>,
  limitBytes: number,
): Promise<unknown> {
  checkType(request, [json])
  return parseJson(await request.body(limitBytes))
}

/** Opens the body as a stream if the route streams its media type. Undefined: read the body as JSON. */
export function openUpload(
  request: Pick<HttpRequest, 'header' | 'bodyStream'>,
  { types, limitBytes }: Pick<UploadRoute<never>, 'types' | 'limitBytes'>,
): Upload | undefined {
  const type = checkType(request, [json, ...types])
  return type === json ? undefined : { type, pieces: request.bodyStream(limitBytes) }
}

function checkType(request: Pick<HttpRequest, 'header'>, types: readonly string[]): string {
  const type = mediaType(request.header('content-type') ?? '')
  if (type === undefined || !types.includes(type))
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `send the body with Content-Type: ${types.join(' or ')}, in UTF-8`,
    )
  if ((request.header('content-encoding') ?? 'identity') !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body uncompressed, without Content-Encoding')
  return type
}

export function mediaType(header: string): string | undefined {
  if (header === json) return json
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim())
  const name = type.toLowerCase()
  return form.test(name) && parameters.every((part) => parameter.test(part)) ? name : undefined
}

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
