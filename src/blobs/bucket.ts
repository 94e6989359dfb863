// Signed requests to one bucket, by path: the form that every S3-compatible store takes. Every wait has an end.
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher } from 'undici'
import { BlobStoreError, type ByteRange } from '../contract/blobs.ts'

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
  /** Until the headers of an answer are there, all tries together. */
  readonly answerMs: number
  /** The same for an upload. */
  readonly uploadMs: number
  /** Between any two pieces, either way. */
  readonly pieceMs: number
}

/** A file of 100 MB may take its time; an upload that moves is left alone for as long as a download is. */
const usual: Deadlines = { answerMs: 10_000, uploadMs: 5 * 60_000, pieceMs: 30_000 }

/** More readers than this wait for each other. */
const connections = 256
/** Stores ask for this: some of their answers are 500 or 503, and the next is not. */
const tries = 3
const firstPauseMs = 100
/** Worth another try, unlike a timeout, a certificate or a name. */
const brokenConnections = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'EAI_AGAIN'])
const maxErrorBytes = 16 * 1024
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export interface Asked {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  readonly key: string
  /** Statuses; any other is thrown as a BlobStoreError. */
  readonly expected: readonly number[]
  readonly range?: ByteRange | undefined
  readonly upload?: Upload
  readonly signal?: AbortSignal | undefined
}

interface Upload {
  readonly sizeBytes: number
  readonly sha256: string
  /** Once a try. */
  open(): Readable
}

export type Answer = Dispatcher.ResponseData

export interface Bucket {
  /** The answer's body is to be read or discarded. */
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
      const ms = asked.upload ? deadlines.uploadMs : deadlines.answerMs
      return untilDeadline(ms, asked, (signal) => insist({ agent, options, asked, signal }))
    },
    close: () => agent.destroy(),
  }
}

/** Of the headers only: how fast a body is read is up to its reader. */
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
    // The deadline, or whoever asked, was first.
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
      // The store compares it with what arrives.
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

/** What the store says of a request that it refused: a status, and one word of its own where there is a body. */
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
