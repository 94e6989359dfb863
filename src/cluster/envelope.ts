// A message between processes, and the seal that shows it comes from one of ours.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ActorKind } from '../actors/actor.ts'

export interface Envelope {
  /** Version N and N−1 understand each other. */
  readonly v: 1
  readonly kind: ActorKind
  readonly id: string
  /** The session it is meant for: another process may answer at the same address by now. */
  readonly sid: string
  /** Stays the same when the same message goes another way. */
  readonly msgId: string
  readonly type: 'tell' | 'ask'
  /** What is left of the asker's patience. */
  readonly deadlineMs: number
  readonly message: { readonly type: string }
}

export const authHeader = 'x-gw-auth'
export const rpcPath = '/rpc'
export const maxEnvelopeBytes = 4 * 1024 * 1024

const freshMs = 30_000

/** `<ms since epoch>.<hex>`: HMAC-SHA256 of `<ms since epoch>.<body>`. */
export const seal = (secret: string, nowMs: number, body: string | Uint8Array): string =>
  `${nowMs}.${createHmac('sha256', secret).update(`${nowMs}.`).update(body).digest('hex')}`

export function isSealed(
  secret: string,
  header: string | undefined,
  nowMs: number,
  body: Uint8Array,
): boolean {
  const sentAt = Number(header?.split('.')[0])
  if (header === undefined || !Number.isSafeInteger(sentAt) || Math.abs(nowMs - sentAt) > freshMs)
    return false
  const expected = Buffer.from(seal(secret, sentAt, body))
  const given = Buffer.from(header)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** `unknown`: from a version that knows more than this one. */
export function readEnvelope(text: string): Envelope | 'malformed' | 'unknown' {
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null || !('v' in parsed)) return 'malformed'
  if (parsed.v !== 1) return 'unknown'
  const { id, kind, sid, msgId, type, deadlineMs, message } = parsed as Partial<
    Record<keyof Envelope, unknown>
  >
  const isText = [id, kind, sid, msgId].every((value) => typeof value === 'string')
  const isMessage = typeof message === 'object' && message !== null && 'type' in message
  if (!isText || !isMessage || typeof deadlineMs !== 'number') return 'malformed'
  return type === 'tell' || type === 'ask' ? (parsed as Envelope) : 'unknown'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
