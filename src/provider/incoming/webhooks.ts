// /provider/webhooks: the provider's verification handshake and its updates. Responds 200 only after all
// updates are durable, because the provider repeats a webhook after any other status.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import { limits } from '../../contract/limits.ts'
import type { ProviderUpdate, ProviderUpdateType } from '../../contract/provider-updates.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../platform/http/exchange.ts'
import { framesOf, safeMessage } from '../../shared/error-text.ts'
import { type ApplyUpdate, applyInOrder } from './apply-updates.ts'
import type { SkipReason } from './element.ts'
import { parseWebhook } from './parse.ts'
import { readSignature, type SignatureCheck, signatureCheck } from './signature.ts'

export interface ProviderWebhooksOptions {
  readonly appSecret: string
  readonly verifyToken: string
  readonly apply: ApplyUpdate
  readonly log: Logger
  /** Called for every webhook, for metrics. */
  readonly observe?: (record: ReceivedRecord) => void
}

export interface ReceivedRecord {
  readonly outcome: 'applied' | 'failed' | 'unreadable' | 'badSignature'
  readonly kinds: Partial<Record<ProviderUpdateType, number>>
  readonly skipped: Partial<Record<SkipReason, number>>
  readonly failed: number
  readonly bytes: number
  readonly durationMs: number
}

// The provider waits about 20 s for a response, then repeats the webhook.
const APPLY_TIMEOUT_MS = 15_000

export function providerWebhooks(options: ProviderWebhooksOptions): HttpHandler {
  const isSigned = signatureCheck(options.appSecret)
  return (request) => {
    switch (request.method) {
      case 'GET':
        return challenge(request, options.verifyToken)
      case 'POST':
        return receive(request, isSigned, options)
      default:
        return { status: 405, headers: { allow: 'GET, POST' } }
    }
  }
}

function challenge({ query }: HttpRequest, verifyToken: string): HttpResponse {
  const isOurs = query.get('hub.mode') === 'subscribe' && isSame(query.get('hub.verify_token'), verifyToken)
  if (!isOurs) return { status: 403 }
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: query.get('hub.challenge') ?? '',
  }
}

/** Compares digests, so that the timing does not reveal even the length of the token. */
function isSame(given: string | null, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(expected))
}

const statuses = { applied: 200, failed: 503, unreadable: 200, badSignature: 401 } as const

async function receive(
  request: HttpRequest,
  isSigned: SignatureCheck,
  { apply, log, observe }: ProviderWebhooksOptions,
): Promise<HttpResponse> {
  const startedAt = performance.now()
  const signature = readSignature(request.header('x-hub-signature-256'))
  // Do not read the body of a request without a signature.
  const body = signature ? await request.body(limits.providerBodyBytes) : new Uint8Array()
  const result =
    signature && isSigned(body, signature) ? await applyBody(body, apply) : nothing('badSignature')
  const { error, ...counts } = result
  const record: ReceivedRecord = {
    ...counts,
    bytes: body.byteLength,
    durationMs: Math.round(performance.now() - startedAt),
  }
  const { requestId, remoteAddress } = request
  const level = record.outcome === 'applied' ? 'info' : 'warn'
  log[level]({ ...record, requestId, remoteAddress, ...reasonOf(error) }, 'ingest.received')
  observe?.(record)
  return { status: statuses[record.outcome] }
}

interface Result extends Pick<ReceivedRecord, 'outcome' | 'kinds' | 'skipped' | 'failed'> {
  readonly error?: unknown
}

const nothing = (outcome: ReceivedRecord['outcome']): Result => ({
  outcome,
  kinds: {},
  skipped: {},
  failed: 0,
})

async function applyBody(body: Uint8Array, apply: ApplyUpdate): Promise<Result> {
  const payload = parseJson(body)
  // Signed but not JSON: acknowledge it, or the provider repeats it for seven days.
  if (payload === undefined) return nothing('unreadable')
  const { updates, skipped } = parseWebhook(payload, new Date())
  const errors = await applyInOrder(updates, { apply, timeoutMs: APPLY_TIMEOUT_MS })
  return {
    outcome: errors.length === 0 ? 'applied' : 'failed',
    kinds: countKinds(updates),
    skipped,
    failed: errors.length,
    ...(errors.length > 0 && { error: errors[0] }),
  }
}

/** Logs only message and stack: a store or driver may attach message content to the error, or quote it. */
function reasonOf(error: unknown): { readonly reason?: string; readonly stack?: string | undefined } {
  if (error === undefined) return {}
  return error instanceof Error
    ? { reason: safeMessage(error), stack: framesOf(error) }
    : { reason: typeof error }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  } catch {
    return undefined
  }
}

function countKinds(updates: readonly ProviderUpdate[]): ReceivedRecord['kinds'] {
  const kinds: Partial<Record<ProviderUpdateType, number>> = {}
  for (const { type } of updates) kinds[type] = (kinds[type] ?? 0) + 1
  return kinds
}
