import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
const SECRET_SHAPE = /^whsec_[A-Za-z0-9+/]{43}=$/

/** `previous` is the secret before a rotation, while its overlap lasts. */
export interface SigningSecrets {
  readonly current: string
  readonly previous?: string | undefined
}

export interface SignedAttempt {
  readonly event: string
  readonly deliveryId: string
  readonly attemptNumber: number
  readonly body: Uint8Array
  readonly at: Date
}

/** Signs for one endpoint. The keys are imported once, when it is created. */
export interface Signer {
  /** All headers that describe an HTTPS attempt, signatures included. */
  attemptHeaders(attempt: SignedAttempt): Record<string, string>
  /** The three headers of an upgrade request, and no others. */
  handshakeHeaders(timestampMs: number, nonce: string): Record<string, string>
}

interface SigningKey {
  /** The secret as it was shown to the operator: our own headers are signed with this text. */
  readonly text: KeyObject
  /** The bytes of its base64 part: Standard Webhooks libraries sign with these. */
  readonly decoded: KeyObject
}

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export const createSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64')

function importSecret(secret: string): SigningKey {
  if (!SECRET_SHAPE.test(secret)) throw new TypeError('not a signing secret')
  const decoded = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return { text: createSecretKey(secret, 'utf8'), decoded: createSecretKey(decoded) }
}

const signText = (key: SigningKey, content: Uint8Array | string): string =>
  `sha256=${createHmac('sha256', key.text).update(content).digest('hex')}`

const signStandard = (key: SigningKey, prefix: string, body: Uint8Array): string =>
  `v1,${createHmac('sha256', key.decoded).update(prefix).update(body).digest('base64')}`

/** The Standard Webhooks headers: one signature for each valid key, the newest first. */
function standardHeaders(keys: readonly SigningKey[], attempt: SignedAttempt): Record<string, string> {
  const timestamp = String(Math.floor(attempt.at.getTime() / 1000))
  const prefix = `${attempt.deliveryId}.${timestamp}.`
  return {
    'webhook-id': attempt.deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => signStandard(key, prefix, attempt.body)).join(' '),
  }
}

export function createSigner(secrets: SigningSecrets): Signer {
  const current = importSecret(secrets.current)
  const previous = secrets.previous === undefined ? undefined : importSecret(secrets.previous)
  const keys = previous === undefined ? [current] : [current, previous]
  return {
    attemptHeaders: (attempt) => ({
      'content-type': 'application/json',
      'x-communication-event': attempt.event,
      'x-communication-delivery': attempt.deliveryId,
      'x-communication-attempt': String(attempt.attemptNumber),
      'x-communication-signature-256': signText(current, attempt.body),
      ...(previous && { 'x-communication-signature-256-previous': signText(previous, attempt.body) }),
      ...standardHeaders(keys, attempt),
    }),
    handshakeHeaders: (timestampMs, nonce) => ({
      'x-communication-timestamp': String(timestampMs),
      'x-communication-nonce': nonce,
      'x-communication-signature-256': signText(current, `${timestampMs}.${nonce}`),
    }),
  }
}
