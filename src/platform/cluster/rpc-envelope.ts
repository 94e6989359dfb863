// The RPC envelope between processes, and the HMAC that proves that it comes from this cluster, whether it came
// over the internal port or the inbox.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'
import type { ActorKind } from '../actors/actor.ts'
import type { RefusalReason } from './refusals.ts'

/** The actors of a kind, or what else of a process answers others. */
export type Addressee = ActorKind | 'callUpdates' | 'messageUpdates'

export interface RpcEnvelope {
  /** Versions N and N−1 must understand each other. */
  readonly v: 1
  readonly kind: Addressee
  readonly id: string
  /** The target session: another process may listen at the same address by now. */
  readonly sid: string
  /** Stays the same when the message is sent again over the inbox. */
  readonly msgId: string
  readonly type: 'tell' | 'ask'
  /** Time left until the deadline of the sender. */
  readonly deadlineMs: number
  readonly message: { readonly type: string }
}

/**
 * What processes of the cluster know in common, at least one. While a secret is rotated, some know an older one,
 * some a newer one, and most know both: so a message is sealed with every secret that its sender knows, and
 * accepted if one of them is known here.
 */
export type ClusterSecrets = readonly string[]

/** The seal by the first secret, which is the only one that the release before reads. */
export const authHeader = 'x-gw-auth'
/** The seals by the other secrets, comma separated. */
export const moreAuthHeader = 'x-gw-auth-more'
export const rpcPath = '/rpc'
export const maxEnvelopeBytes = 4 * 1024 * 1024

const freshMs = 30_000
/** Bounds the headers of a message: more secrets than this are not used to seal. */
const maxSeals = 8

/** As a sender writes them; from a stranger either may be missing. */
export interface Seals {
  readonly first: string | undefined
  /** Comma separated. Undefined where the sender knows one secret. */
  readonly more: string | undefined
}

export function sealAll(
  secrets: ClusterSecrets,
  nowMs: number,
  body: string | Uint8Array,
): Seals & { readonly first: string } {
  const [first = '', ...more] = secrets.slice(0, maxSeals).map((secret) => seal(secret, nowMs, body))
  return { first, more: more.length > 0 ? more.join(',') : undefined }
}

export const sealHeaders = ({ first = '', more }: Seals): Record<string, string> => ({
  [authHeader]: first,
  ...(more && { [moreAuthHeader]: more }),
})

/** `<ms since epoch>.<hex>`: HMAC-SHA256 of `<ms since epoch>.<body>`. */
export const seal = (secret: string, nowMs: number, body: string | Uint8Array): string =>
  `${nowMs}.${createHmac('sha256', secret).update(`${nowMs}.`).update(body).digest('hex')}`

/** `expired` is said only of a genuine seal: it shows a late message or a wrong clock, not a forger. */
export function checkSeal(
  secrets: ClusterSecrets,
  given: Seals,
  nowMs: number,
  body: string | Uint8Array,
): 'sealed' | 'unsealed' | 'forged' | 'expired' {
  if (!given.first) return 'unsealed'
  const sentAt = Number(given.first.split('.', 1)[0])
  if (!Number.isSafeInteger(sentAt)) return 'forged'
  const seals = [given.first, ...(given.more?.split(',', maxSeals) ?? [])]
  const isKnown = secrets.some((secret) => {
    const expected = seal(secret, sentAt, body)
    return seals.some((one) => isSame(one, expected))
  })
  if (!isKnown) return 'forged'
  return Math.abs(nowMs - sentAt) > freshMs ? 'expired' : 'sealed'
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The envelope of a genuine message, or why it is refused; `unknown`: the sender runs a newer version. */
export function openEnvelope(
  { secrets, clock }: { readonly secrets: ClusterSecrets; readonly clock: Clock },
  given: Seals,
  body: string | Uint8Array,
): RpcEnvelope | RefusalReason | 'unknown' {
  const seal = checkSeal(secrets, given, clock.now(), body)
  if (seal !== 'sealed') return seal
  return readEnvelope(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
}

/** `unknown`: the sender runs a newer version. */
export function readEnvelope(text: string): RpcEnvelope | 'malformed' | 'unknown' {
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null || !('v' in parsed)) return 'malformed'
  if (parsed.v !== 1) return 'unknown'
  const { id, kind, sid, msgId, type, deadlineMs, message } = parsed as Partial<
    Record<keyof RpcEnvelope, unknown>
  >
  const isText = [id, kind, sid, msgId].every((value) => typeof value === 'string')
  const isMessage = typeof message === 'object' && message !== null && 'type' in message
  if (!isText || !isMessage || typeof deadlineMs !== 'number') return 'malformed'
  return type === 'tell' || type === 'ask' ? (parsed as RpcEnvelope) : 'unknown'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
