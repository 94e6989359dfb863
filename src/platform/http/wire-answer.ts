// Writes one response. Every write after an await is corked: each uncorked write is a separate system call.
import type { HttpResponse } from './exchange.ts'
import { readAheadOf } from './unread.ts'
import type { WireResponse } from './wire.ts'
import { Drain, writeChunk, writePart } from './wire-drain.ts'
import { closeHeader, headText } from './wire-head.ts'
import type { LiveRequest } from './wire-request.ts'

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
  const isHead = request.method === 'HEAD'
  if (body !== undefined && body.length > 0 && (isHead ? closing : body.length > mostBuffered))
    return writeLarge(response, request, { ...answer, body }, closing)
  response.cork(() => {
    response.writeStatus(headText(answer, request, closing))
    if (closing) response.end(body ?? '', closing)
    else if (isHead) endHead(response, body)
    else if (body === undefined && !hasLength(answer.status)) response.endWithoutBody()
    else response.end(body ?? '')
  })
  return undefined
}

/**
 * The socket keeps what a client does not read, without a limit: a stranger could ask for pages and read none. So the
 * response is not complete before the client has taken it, and the next request before that ends the connection.
 */
const mostBuffered = 16 * 1024

type Whole = HttpResponse & { readonly body: string | Uint8Array }

async function writeLarge(
  response: WireResponse,
  request: LiveRequest,
  answer: Whole,
  closing: boolean,
): Promise<void> {
  if (closing) {
    if (await writeUnended(response, request, answer)) response.close()
    return
  }
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
  await writePart(response, drain, bytesOf(body).subarray(writtenBytes), total)
}

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body) : body

/**
 * The whole response with a body, which is over when the connection is closed: `end` would have the socket keep what the
 * client does not read, and `endWithoutBody` cannot close. So uWebSockets gets the length with the head, and then one that
 * the body never reaches. True: the system has all of it.
 */
async function writeUnended(response: WireResponse, request: LiveRequest, answer: Whole): Promise<boolean> {
  const bytes = bytesOf(answer.body)
  const shown = request.method === 'HEAD' ? bytes.subarray(0, 0) : bytes
  const neverReached = bytes.byteLength + 1
  const drain = new Drain(response, request)
  // A paused socket reports no room.
  request.content.drop()
  response.cork(() => {
    response.writeStatus(headText(answer, request, true) + closeHeader)
    response.tryEnd('', bytes.byteLength)
    response.tryEnd(shown, neverReached)
  })
  // Within the callback of the parser, what is written waits until it is over.
  await nextTurn()
  if (request.aborted) return false
  await writePart(response, drain, shown.subarray(response.getWriteOffset()), neverReached)
  // The end of what was corked may still wait for room.
  while (!request.aborted && !hasRoom(response, neverReached)) await drain.wait()
  return !request.aborted
}

function hasRoom(response: WireResponse, total: number): boolean {
  let room = false
  response.cork(() => {
    room = response.tryEnd('', total)[0]
  })
  return room
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

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
  if (isCutOff()) await nextTurn()
  if (!isCutOff() || request.aborted || !(typeof body === 'string' || body instanceof Uint8Array))
    return writeAnswer(response, request, answer, lastOne)
  const isSmallText = typeof body === 'string' && body.length <= mostBuffered && request.method !== 'HEAD'
  if (body.length === 0) response.cork(() => response.writeStatus(wholeText(answer, request, '')))
  else if (isSmallText) response.cork(() => response.writeStatus(wholeText(answer, request, body)))
  else await writeUnended(response, request, { ...answer, body })
  if (!request.aborted) await request.content.linger()
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
function endHead(response: WireResponse, body: string | Uint8Array | undefined): void {
  response.writeHeader('content-length', String(body === undefined ? 0 : Buffer.byteLength(body)))
  response.endWithoutBody()
}

/** Ends a body that will not be read, so that it releases its resources. */
async function forsake(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.()
}

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
