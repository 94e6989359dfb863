// Writes one response. Every write after an await is corked: each uncorked write is a separate system call.
import { STATUS_CODES } from 'node:http'
import type { HttpResponse } from './exchange.ts'
import { readAheadOf } from './unread.ts'
import type { WireResponse } from './wire.ts'
import type { LiveRequest } from './wire-request.ts'

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
    statusLines.set(status, line)
  }
  return line
}

/** `lastOne` closes the connection. Resolves when the socket has the response, or the client is gone. */
export function writeAnswer(
  response: WireResponse,
  request: LiveRequest,
  answer: HttpResponse,
  lastOne: boolean,
): Promise<void> | undefined {
  const { body } = answer
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array))
    return writeStreamed(response, request, { ...answer, body }, lastOne)
  if (request.aborted) return undefined
  // If the rest of the body is too large to read and drop, close the connection instead.
  const closing = !request.content.forsake() || lastOne
  if (!closing && body !== undefined && body.length > mostBuffered && request.method !== 'HEAD')
    return writeLarge(response, request, { ...answer, body })
  response.cork(() => {
    response.writeStatus(headText(answer, request, closing))
    if (request.method === 'HEAD') endHead(response, body, closing)
    else if (body === undefined && !closing && !hasLength(answer.status)) response.endWithoutBody()
    else response.end(body ?? '', closing)
  })
  return undefined
}

/**
 * The socket keeps what a client does not read, without a limit: a stranger could ask for pages and read none. So the
 * response is not complete before the client has taken it, and the next request before that ends the connection.
 */
const mostBuffered = 16 * 1024

async function writeLarge(
  response: WireResponse,
  request: LiveRequest,
  answer: HttpResponse & { readonly body: string | Uint8Array },
): Promise<void> {
  const { body } = answer
  const total = Buffer.byteLength(body)
  let done = false
  response.cork(() => {
    response.writeStatus(headText(answer, request, false))
    done = response.tryEnd(body, total)[1]
  })
  if (done) return
  const drain = new Drain(response, request)
  const writtenBytes = await drain.wait()
  if (writtenBytes === undefined) return
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  await writePart(response, drain, bytes.subarray(writtenBytes), total)
}

/**
 * Like `writeAnswer`. Most clients send everything before they read, and closing a connection with unread bytes
 * resets it: such a client would get a broken pipe and no response. So the response goes out first, and the
 * rest of the body is read and dropped before the connection is closed.
 */
export async function writeAnswerAndLinger(
  response: WireResponse,
  request: LiveRequest,
  answer: HttpResponse,
  lastOne: boolean,
): Promise<void> {
  const { body = '' } = answer
  const isCutOff = () => request.content.isUnread && (lastOne || !request.content.isReusable)
  // The rest may have come together with the head. Within the callback of the parser it is not there yet, and
  // what is written there is lost if the connection is closed there too.
  if (isCutOff()) await new Promise((resolve) => setImmediate(resolve))
  if (!isCutOff() || request.aborted || request.method === 'HEAD' || typeof body !== 'string')
    return writeAnswer(response, request, answer, lastOne)
  response.cork(() => response.writeStatus(wholeText(answer, request, body)))
  await request.content.linger()
  if (!request.aborted) response.close()
}

/**
 * The whole response as one text: `end` of uWebSockets would close the connection now, or never. After this
 * text, `writeStatus` adds a line break: the end of the head, or of the body.
 */
function wholeText(answer: HttpResponse, request: LiveRequest, body: string): string {
  const length = body === '' ? 0 : Buffer.byteLength(body) + lineBreak.length
  const headers = [`date: ${new Date().toUTCString()}`, `content-length: ${length}`].join(lineBreak)
  const head = `${headText(answer, request, true)}${closeHeader}${lineBreak}${headers}${lineBreak}`
  return body === '' ? head : `${head}${lineBreak}${body}`
}

const lineBreak = '\r\n'

// 204 and 304 have no content, so they must not have a length.
const hasLength = (status: number): boolean => status !== 204 && status !== 304

// endWithoutBody(length) would wait for that many bytes, and would read undefined as 2^63.
function endHead(response: WireResponse, body: string | Uint8Array | undefined, closing: boolean): void {
  response.writeHeader('content-length', String(body === undefined ? 0 : Buffer.byteLength(body)))
  if (closing) response.writeHeader('connection', 'close')
  response.endWithoutBody()
}

// Write status and headers as one text: one native call per header costs more than the rest of the response.
function headText(
  answer: HttpResponse,
  { publicUrl }: Pick<LiveRequest, 'publicUrl'>,
  closing: boolean,
): string {
  let text = statusLine(answer.status)
  for (const name in answer.headers) {
    // The code that ends the response writes the length. A second length would make the response malformed.
    if (name !== 'content-length') text += `\r\n${name}: ${oneLine(answer.headers[name] ?? '')}`
  }
  if (answer.headers?.[noSniff] === undefined) text += `\r\n${noSniff}: nosniff`
  // TLS ends at the proxy in front, which passes this on to browsers.
  if (publicUrl.startsWith('https:')) text += strictTransport
  for (const cookie of answer.cookies ?? []) text += `\r\nset-cookie: ${oneLine(cookie)}`
  // The parser drops an idle connection after about 10 s without notice, so tell clients a shorter timeout.
  return closing ? text : `${text}\r\nkeep-alive: timeout=8`
}

const noSniff = 'x-content-type-options'
/** One year, for this host only: its other names are not ours to decide about. */
const strictTransport = '\r\nstrict-transport-security: max-age=31536000'

// A value may come from outside, such as a file name. It must not start a new header.
const oneLine = (value: string): string =>
  breaksLine.test(value) ? value.replaceAll(/[\r\n\0]+/g, ' ') : value

const breaksLine = /[\r\n\0]/

/** Ends a body that will not be read, so that it releases its resources. */
async function forsake(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.()
}

const closeHeader = '\r\nconnection: close'

type Streamed = HttpResponse & { readonly body: AsyncIterable<Uint8Array> }

/**
 * The end of a chunked request is in doubt, so the connection must be closed after it. After a stream of
 * unknown length it cannot be closed, so the response to a chunked request is collected first.
 */
async function writeStreamed(
  response: WireResponse,
  request: LiveRequest,
  answer: Streamed,
  lastOne: boolean,
): Promise<void> {
  if (request.aborted) return forsake(answer.body)
  if (!request.isChunked || answer.headers?.['content-length'] !== undefined)
    return writeStream(response, request, answer, lastOne)
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body) {
    if (request.aborted) return
    // The response is too large to hold in memory, and no other response is possible any more.
    if (!request.content.claim(piece.byteLength)) return void response.close()
    pieces.push(piece)
  }
  if (request.aborted) return
  await writeAnswer(response, request, { ...answer, body: Buffer.concat(pieces) }, lastOne)
}

async function writeStream(
  response: WireResponse,
  request: LiveRequest,
  answer: Streamed,
  lastOne: boolean,
): Promise<void> {
  const { isFlowing } = request.content
  const isLasting = !isFlowing && request.content.forsake() && !lastOne
  const body = isFlowing ? aheadOfReader(response, request, answer.body) : answer.body
  const drain = new Drain(response, request)
  response.cork(() =>
    response.writeStatus(headText(answer, request, !isLasting) + (isLasting ? '' : closeHeader)),
  )
  try {
    await pump(response, request, { ...answer, body }, drain)
    if (drain.done || answer.headers?.['content-length'] !== undefined || request.aborted) return
    if (lastOne) await request.content.dropRest()
    if (request.aborted) return
    drain.done = true
    request.content.drop()
    // `end(closeConnection)` would write a header into the chunks. The head has said `connection: close`.
    response.cork(() => response.end())
  } finally {
    // A body that failed or is shorter than announced must not look complete.
    if (!request.aborted && !drain.done) response.close()
  }
}

/** A client that leaves more than this unread while it still sends is disconnected. */
const unreadBytes = 8 * 1024 * 1024

const aheadOfReader = (response: WireResponse, request: LiveRequest, body: AsyncIterable<Uint8Array>) =>
  readAheadOf(body, {
    maxBytes: unreadBytes,
    isFlowing: () => request.content.isFlowing,
    onFull: () => void (request.aborted || response.close()),
  })

async function pump(
  response: WireResponse,
  request: LiveRequest,
  { headers, body }: Streamed,
  drain: Drain,
): Promise<void> {
  const length = headers?.['content-length']
  for await (const chunk of body) {
    if (request.aborted) return
    if (length === undefined) await writeChunk(response, drain, chunk)
    else await writePart(response, drain, chunk, Number(length))
    if (drain.done) return
  }
}

async function writeChunk(response: WireResponse, drain: Drain, chunk: Uint8Array): Promise<void> {
  if (chunk.byteLength === 0) return
  let taken = true
  response.cork(() => {
    taken = response.write(chunk)
  })
  if (!taken) await drain.wait()
}

async function writePart(
  response: WireResponse,
  drain: Drain,
  chunk: Uint8Array,
  total: number,
): Promise<void> {
  const startOffset = response.getWriteOffset()
  let rest = chunk
  while (rest.byteLength > 0 && !drain.done) {
    let taken = true
    response.cork(() => {
      const [ok, done] = response.tryEnd(rest, total)
      taken = ok
      drain.done ||= done
    })
    if (taken || drain.done) return
    const writtenBytes = await drain.wait()
    if (writtenBytes === undefined) return
    rest = chunk.subarray(writtenBytes - startOffset)
  }
}

/** Waits until the socket has room, or the client is gone. */
class Drain {
  /** True when the response is complete: it must not be used any more. */
  done = false
  readonly #response: WireResponse
  readonly #request: LiveRequest
  #wake: ((offset: number | undefined) => void) | undefined

  constructor(response: WireResponse, request: LiveRequest) {
    this.#response = response
    this.#request = request
    response.onWritable((offset) => {
      this.#wake?.(offset)
      return true
    })
    request.signal.addEventListener('abort', () => this.#wake?.(undefined))
  }

  /** The bytes of the body written so far; undefined when the client is gone. */
  wait(): Promise<number | undefined> {
    if (this.#request.aborted) return Promise.resolve(undefined)
    this.#request.content.letAnswer()
    return new Promise((resolve) => {
      this.#wake = (offset) => {
        this.#request.readers.settled(this)
        resolve(offset)
      }
      if (!this.#request.readers.expect(this)) this.cutOff()
    })
  }

  cutOff(): void {
    this.#response.close()
  }
}
