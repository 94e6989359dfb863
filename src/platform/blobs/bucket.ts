// Signed requests to one bucket, with path-style URLs, which every S3-compatible store accepts. Every wait
// has a time limit.
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher } from 'undici'
import { BlobStoreError, type ByteRange } from '../../contract/blobs.ts'

export interface BucketOptions {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** For tests. */
  readonly deadlines?: Deadlines
}

interface Deadlines {
  /** Until the response headers arrive, over all tries. */
  readonly answerMs: number
  /** The same for an upload, beside the time for its bytes at the least rate. */
  readonly uploadMs: number
  readonly uploadBytesPerMs: number
  /** Between two pieces of a body, in either direction. */
  readonly pieceMs: number
}

/** An export may have 4 GiB. A transfer that stands still ends after `pieceMs` in any case. */
const usual: Deadlines = {
  answerMs: 10_000,
  uploadMs: 5 * 60_000,
  uploadBytesPerMs: 1_000,
  pieceMs: 30_000,
}

/** Further readers wait for a free connection. */
const connections = 256
/** Object stores require retries: a 500 or 503 is often followed by a success. */
const tries = 3
const firstPauseMs = 100
/** Worth a retry, unlike a timeout, a certificate error or an unknown host name. */
const brokenConnections = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'EAI_AGAIN'])
const maxErrorBytes = 16 * 1024
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export interface Asked {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  readonly key: string
  /** The expected statuses. Any other is thrown as a BlobStoreError. */
  readonly expected: readonly number[]
  readonly range?: ByteRange | undefined
  readonly upload?: Upload
  readonly signal?: AbortSignal | undefined
}

interface Upload {
  readonly sizeBytes: number
  readonly sha256: string
  /** Called once per try. */
  open(): Readable
}

export type Answer = Dispatcher.ResponseData

export interface Bucket {
  /** The caller must read or discard the body of the response. */
  ask(asked: Asked): Promise<Answer>
  close(): Promise<void>
}

export function openBucket(options: BucketOptions): Bucket {
  const deadlines = options.deadlines ?? usual
  const agent = new Agent({
    connections,
    connectTimeout: deadlines.answerMs,
    headersTimeout: deadlines.pieceMs,
    bodyTimeout: deadlines.pieceMs,
  })
  return {
    ask(asked) {
      return untilDeadline(timeOf(asked, deadlines), asked, (signal) =>
        insist({ agent, options, asked, signal }),
      )
    },
    close: () => agent.destroy(),
  }
}

const timeOf = ({ upload }: Asked, { answerMs, uploadMs, uploadBytesPerMs }: Deadlines): number =>
  upload ? uploadMs + upload.sizeBytes / uploadBytesPerMs : answerMs

/** The deadline covers only the headers: the reader decides how fast it reads the body. */
async function untilDeadline<T>(
  ms: number,
  { method, signal }: Asked,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const ended = new AbortController()
  const late = () => ended.abort(new BlobStoreError(`the object store took too long to answer ${method}`))
  const timer = setTimeout(late, ms)
  const leave = () => ended.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await work(ended.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

interface Task {
  readonly agent: Agent
  readonly options: BucketOptions
  readonly asked: Asked
  readonly signal: AbortSignal
}

async function insist(task: Task): Promise<Answer> {
  for (let turn = 1; ; turn += 1) {
    const outcome = await attempt(task)
    if (outcome.type === 'answered') return outcome.answer
    if (!outcome.isPassing || turn === tries) throw outcome.error
    await sleep(firstPauseMs * 2 ** (turn - 1) * (1 + Math.random()))
    task.signal.throwIfAborted()
  }
}

type Outcome =
  | { readonly type: 'answered'; readonly answer: Answer }
  | { readonly type: 'failed'; readonly error: BlobStoreError; readonly isPassing: boolean }

async function attempt({ agent, options, asked, signal }: Task): Promise<Outcome> {
  const { method } = asked
  const { url, headers } = await sign(options, asked)
  const body = asked.upload?.open()
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname,
      method,
      headers: Object.fromEntries(headers),
      body: body ?? null,
      signal,
    })
    if (asked.expected.includes(answer.statusCode)) return { type: 'answered', answer }
    const isPassing = answer.statusCode >= 500 || answer.statusCode === 429
    return { type: 'failed', error: (await refusal(answer, method)).error, isPassing }
  } catch (error) {
    // The deadline or the caller has aborted the request: throw that reason.
    signal.throwIfAborted()
    const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown'
    const text = `the object store did not answer ${method}: ${reason}`
    const isPassing = brokenConnections.has(reason)
    return { type: 'failed', error: new BlobStoreError(text, { cause: error }), isPassing }
  } finally {
    body?.destroy()
  }
}

function sign({ endpoint, bucket, region, ...credentials }: BucketOptions, asked: Asked) {
  const { method, key, range, upload } = asked
  return new AwsV4Signer({
    method,
    url: `${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`,
    headers: {
      // The store compares this digest with the received body.
      'x-amz-content-sha256': upload?.sha256 ?? emptySha256,
      ...(range && { range: `bytes=${range.start}-${range.end}` }),
      ...(upload && {
        'content-length': String(upload.sizeBytes),
        'content-type': 'application/octet-stream',
      }),
    },
    accessKeyId: credentials.accessKeyId,
    secretAccessKey: credentials.secretAccessKey,
    service: 's3',
    region,
  }).sign()
}

/** Reads a refusal of the store: the status, and the error code if there is a body. */
export async function refusal({ statusCode, body }: Answer, method: Asked['method']) {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    sizeBytes += chunk.byteLength
    if (sizeBytes >= maxErrorBytes) break
  }
  const code = /<Code>(\w{1,64})<\/Code>/.exec(Buffer.concat(chunks).toString())?.[1]
  const said = [statusCode, code].filter((part) => part !== undefined).join(' ')
  return { error: new BlobStoreError(`the object store answered ${said} to ${method}`), code }
}

export async function discard({ body }: Answer): Promise<void> {
  await body.dump().catch(() => undefined)
}
