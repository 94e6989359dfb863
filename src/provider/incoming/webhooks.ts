// /provider/webhooks: the provider's verification handshake and its updates. Responds 200 only after all
// updates are durable, because the provider repeats a webhook after any other status.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import type { UnappliedReason, UpdateOutcome } from '../../contract/inbound-elements.ts'
import { limits } from '../../contract/limits.ts'
import type { ProviderUpdateType } from '../../contract/provider-updates.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../platform/http/exchange.ts'
import { framesOf, safeMessage } from '../../shared/error-text.ts'
import { mark } from '../../shared/marks.ts'
import { type ApplyAgainOptions, ElementFailed, keptAtOf } from './apply-again.ts'
import { type ApplyUpdate, applyInOrder } from './apply-updates.ts'
import type { KeepElements } from './keep-elements.ts'
import { type KeptElement, keptBody, keptOf, unappliedReason } from './kept-elements.ts'
import { parseWebhook } from './parse.ts'
import type { ReadElement } from './raw-elements.ts'
import { readSignature, type SignatureCheck, signatureCheck } from './signature.ts'

export interface ProviderWebhooksOptions {
  readonly appSecret: string
  readonly verifyToken: string
  readonly apply: ApplyUpdate
  /** Keeps every element as it came. */
  readonly keep: Pick<KeepElements, 'keep'>
  /** Called for each webhook of an account that names a number of which nothing is known here. */
  readonly numberUnknown?: (wabaId: string) => void
  readonly log: Logger
  /** Called for every webhook, for metrics. */
  readonly observe?: (record: ReceivedRecord) => void
}

export interface ReceivedRecord {
  readonly outcome: 'applied' | 'failed' | 'unreadable' | 'badSignature'
  readonly kinds: Partial<Record<ProviderUpdateType, number>>
  /** How many elements nothing was made of, by reason. */
  readonly skipped: Partial<Record<UnappliedReason, number>>
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
  options: ProviderWebhooksOptions,
): Promise<HttpResponse> {
  const { log, observe } = options
  const startedAt = performance.now()
  const signature = readSignature(request.header('x-hub-signature-256'))
  // Do not read the body of a request without a signature.
  const body = signature ? await request.body(limits.providerBodyBytes) : new Uint8Array()
  mark('received', body)
  const result =
    signature && isSigned(body, signature) ? await applyBody(body, options) : nothing('badSignature')
  const { outcome, kinds, skipped, failed, error, outcomes } = result
  // A literal without spreads: after one, each name costs as much as all of these.
  const record: ReceivedRecord = {
    outcome,
    kinds,
    skipped,
    failed,
    bytes: body.byteLength,
    durationMs: Math.round(performance.now() - startedAt),
  }
  const level = levelOf(record)
  // Reading the address is a call of native code: only where it is written.
  if (log.isLevelEnabled(level)) {
    const { requestId, remoteAddress } = request
    log[level]({ ...record, requestId, remoteAddress, ...reasonOf(error) }, 'ingest.received')
  }
  observe?.(record)
  const status = statuses[outcome]
  return outcomes ? { status, body: JSON.stringify({ outcomes }) } : { status }
}

/** What was applied as a whole is in the metrics, and each part of it in a record: a line would say nothing else. */
function levelOf({ outcome, skipped }: ReceivedRecord): 'debug' | 'info' | 'warn' {
  if (outcome !== 'applied') return 'warn'
  return Object.keys(skipped).length === 0 ? 'debug' : 'info'
}

interface Result extends Pick<ReceivedRecord, 'outcome' | 'kinds' | 'skipped' | 'failed'> {
  readonly error?: unknown
  /** Of each element, where kept elements are applied again. */
  readonly outcomes?: readonly string[]
}

const nothing = (outcome: ReceivedRecord['outcome']): Result => ({
  outcome,
  kinds: {},
  skipped: {},
  failed: 0,
})

type ApplyBodyOptions = Pick<ProviderWebhooksOptions, 'apply' | 'keep' | 'numberUnknown'>

/** Applies kept elements in this process, as if they were posted. */
export const postHere =
  (options: Pick<ProviderWebhooksOptions, 'apply' | 'keep'>): ApplyAgainOptions['post'] =>
  async (body) => {
    const { outcomes, outcome, error } = await applyBody(Buffer.from(body), options)
    if (outcome !== 'applied') throw new ElementFailed(error instanceof Error ? safeMessage(error) : outcome)
    return JSON.stringify({ outcomes })
  }

async function applyBody(
  body: Uint8Array,
  { apply, keep, numberUnknown }: ApplyBodyOptions,
): Promise<Result> {
  const payload = parseJson(body)
  // Signed but not JSON: acknowledge it, or the provider repeats it for seven days.
  if (payload === undefined) return kept(keep, [keptBody(body)], unreadable)
  const again = keptAtOf(payload)
  const { updates, elements } = parseWebhook(payload, again ?? new Date())
  const outcomes = new Map<unknown, UpdateOutcome>()
  const applyOnce = updates.length > 1 ? onceEach(apply) : apply
  const errors = await applyInOrder(updates, {
    apply: async (update) => outcomes.set(update, await applyOnce(update)),
    timeoutMs: APPLY_TIMEOUT_MS,
  })
  const reasons = elements.map(({ element }) => unappliedReason(element, outcomes.get(element)))
  const result: Result = {
    outcome: errors.length === 0 ? 'applied' : 'failed',
    kinds: countOf(updates.map(({ type }) => type)),
    skipped: countOf(reasons.filter((reason) => reason !== null)),
    failed: errors.length,
    ...(errors.length > 0 && { error: errors[0] }),
  }
  // The provider repeats the whole webhook, and then all of it is kept.
  if (errors.length > 0) return result
  if (!again) tellUnknown(elements, outcomes, numberUnknown)
  if (again) return { ...result, outcomes: reasons.map((reason) => reason ?? 'applied') }
  return kept(
    keep,
    elements.map((read) => keptOf(read, outcomes.get(read.element))),
    result,
  )
}

function tellUnknown(
  elements: readonly ReadElement[],
  outcomes: ReadonlyMap<unknown, UpdateOutcome>,
  tell: ProviderWebhooksOptions['numberUnknown'],
): void {
  const accounts = elements.flatMap(({ element, raw }) =>
    outcomes.get(element) === 'unknownNumber' ? (raw.wabaId ?? []) : [],
  )
  for (const wabaId of new Set(accounts)) tell?.(wabaId)
}

/** A webhook may hold the same element many times, and a repeat changes nothing. */
function onceEach(apply: ApplyUpdate): ApplyUpdate {
  const applied = new Map<string, Promise<UpdateOutcome>>()
  return (update) => {
    const key = JSON.stringify(update)
    const first = applied.get(key) ?? apply(update)
    applied.set(key, first)
    return first
  }
}

const unreadable: Result = { ...nothing('unreadable'), skipped: { unreadable: 1 } }

/** What could not be kept must not be acknowledged. */
async function kept(
  keep: ProviderWebhooksOptions['keep'],
  elements: readonly KeptElement[],
  result: Result,
): Promise<Result> {
  try {
    await keep.keep(elements)
    return result
  } catch (error) {
    return { ...result, outcome: 'failed', failed: elements.length, error }
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

function countOf<Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> {
  const counts: Partial<Record<Name, number>> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
