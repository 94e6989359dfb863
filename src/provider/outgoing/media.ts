// Media files: finds the URL of a file, downloads it as a bounded stream, and uploads files.
import { createHash } from 'node:crypto'
import { Agent, type Dispatcher } from 'undici'
import * as v from 'valibot'
import {
  type MediaDownload,
  MediaTooLargeError,
  type Provider,
  type ProviderAccount,
  type ProviderError,
  type ProviderResult,
} from '../../contract/provider.ts'
import { sha256Hex } from '../../contract/provider-words.ts'
import { readAnswer } from './answer.ts'
import { type Ask, USER_AGENT } from './ask.ts'
import { multipart } from './multipart.ts'

export interface MediaOptions {
  /** The provider's own origin: the only one that is allowed without TLS. */
  readonly origin: string
  /** Limit until the headers arrive, and between two pieces of the body. */
  readonly timeoutMs: number
}

/** The connection broke, or the download timed out. */
export class MediaDownloadError extends Error {}

const MAX_FILE_BYTES = 100 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000
const UPLOAD_TIMEOUT_MS = 2 * 60_000
const CONNECTIONS_PER_HOST = 16
const MAX_HOSTS = 16

const Location = v.pipe(
  v.object({
    url: v.pipe(v.string(), v.url()),
    mime_type: v.fallback(v.nullish(v.string(), null), null),
    sha256: v.fallback(v.string(), ''),
    file_size: v.fallback(
      v.nullish(v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.safeInteger()), null),
      null,
    ),
  }),
  v.transform((given) => ({
    url: given.url,
    mimeType: given.mime_type,
    sizeBytes: given.file_size,
    sha256: sha256Hex(given.sha256),
  })),
)

const Uploaded = v.pipe(
  v.object({ id: v.pipe(v.string(), v.nonEmpty()) }),
  v.transform(({ id }) => ({ providerMediaId: id })),
)

export function createMedia(ask: Ask, options: MediaOptions) {
  const agent = new Agent({
    connections: CONNECTIONS_PER_HOST,
    maxOrigins: MAX_HOSTS,
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    connectTimeout: options.timeoutMs,
  })
  const operations: Pick<Provider, 'mediaUrl' | 'downloadMedia' | 'uploadMedia'> = {
    mediaUrl: (account, providerMediaId) =>
      ask(account, {
        operation: 'media.locate',
        pool: 'messages',
        method: 'GET',
        path: [providerMediaId],
        query: { phone_number_id: account.phoneNumberId },
        schema: Location,
      }),
    uploadMedia: (account, file) =>
      ask(account, {
        operation: 'media.upload',
        pool: 'messages',
        method: 'POST',
        path: [account.phoneNumberId, 'media'],
        form: multipart({ messaging_product: 'whatsapp', type: file.mimeType }, file),
        timeoutMs: Math.max(options.timeoutMs, UPLOAD_TIMEOUT_MS),
        schema: Uploaded,
      }),
    downloadMedia: (account, url) => download(agent, { account, url, origin: options.origin }),
  }
  return { operations, close: () => agent.close() }
}

interface Download {
  readonly account: ProviderAccount
  readonly url: string
  readonly origin: string
}

async function download(
  agent: Agent,
  { account, url, origin }: Download,
): Promise<ProviderResult<MediaDownload>> {
  const target = URL.canParse(url) ? new URL(url) : null
  // The request carries the token, so it must be encrypted.
  if (target === null || (target.protocol !== 'https:' && target.origin !== origin)) {
    return refused('MEDIA_ADDRESS_NOT_ALLOWED', null)
  }
  try {
    const answer = await agent.request({
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      method: 'GET',
      headers: { authorization: `Bearer ${account.accessToken}`, 'user-agent': USER_AGENT },
      signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
    })
    return answer.statusCode === 200 ? opened(answer) : await turnedAway(answer, account.accessToken)
  } catch (error) {
    const details = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : null
    return { type: 'unknown', error: { ...mediaError('CONNECTION_LOST', null), class: 'retry', details } }
  }
}

function opened({ headers, body }: Dispatcher.ResponseData): ProviderResult<MediaDownload> {
  const announced = Number(headers['content-length'] ?? Number.NaN)
  if (announced > MAX_FILE_BYTES) {
    body.destroy()
    return refused('MEDIA_TOO_LARGE', 200)
  }
  const type = headers['content-type']
  return {
    type: 'ok',
    value: {
      mimeType: typeof type === 'string' ? type : null,
      sizeBytes: Number.isSafeInteger(announced) ? announced : null,
      ...hashedBody(body),
    },
  }
}

/** An expired URL gives a 404, and so does a file that the provider no longer has. */
async function turnedAway(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  secret: string,
): Promise<ProviderResult<never>> {
  const bytes = await readUpTo(body, MAX_ERROR_BYTES)
  if (statusCode === 404 || statusCode === 410) return refused('MEDIA_GONE', statusCode)
  return readAnswer(
    { type: 'answered', status: statusCode, headers, body: bytes },
    { schema: v.never(), secret },
  )
}

async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return Buffer.concat(chunks)
}

function hashedBody(source: AsyncIterable<Buffer>): Pick<MediaDownload, 'body' | 'sha256'> {
  const hash = createHash('sha256')
  let digest: string | undefined
  async function* read(): AsyncGenerator<Uint8Array> {
    let size = 0
    try {
      for await (const chunk of source) {
        size += chunk.length
        if (size > MAX_FILE_BYTES) throw new MediaTooLargeError('the file is too large')
        hash.update(chunk)
        yield chunk
      }
    } catch (error) {
      if (error instanceof MediaTooLargeError) throw error
      throw new MediaDownloadError('the download broke off', { cause: error })
    }
    digest = hash.digest('hex')
  }
  return {
    body: read(),
    sha256() {
      if (digest === undefined) throw new Error('the file has not been read to its end')
      return digest
    },
  }
}

const mediaTitles = {
  CONNECTION_LOST: 'The file could not be fetched from the provider',
  MEDIA_ADDRESS_NOT_ALLOWED: 'The address of the file is not encrypted',
  MEDIA_GONE: 'The provider no longer has the file at this address',
  MEDIA_TOO_LARGE: 'The file is larger than the provider may send',
} as const

const mediaError = (code: keyof typeof mediaTitles, httpStatus: number | null): ProviderError => ({
  code,
  title: mediaTitles[code],
  details: null,
  httpStatus,
  class: 'permanent',
  retryAfterMs: null,
})

const refused = (code: keyof typeof mediaTitles, httpStatus: number | null): ProviderResult<never> => ({
  type: 'refused',
  error: mediaError(code, httpStatus),
})
