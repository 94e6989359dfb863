// Verifies X-Hub-Signature-256: `sha256=` and the hex HMAC-SHA256 of the raw body under the app secret.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const form = /^sha256=([0-9a-f]{64})$/i

/** The digest in the header; undefined when the header is absent or malformed. */
export function readSignature(header: string | undefined): Buffer | undefined {
  const hex = form.exec(header ?? '')?.[1]
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

export type SignatureCheck = (body: Uint8Array, claimed: Uint8Array) => boolean

/** Prepares the key once. Checks the received bytes, because the provider escapes JSON in its own way. */
export function signatureCheck(appSecret: string): SignatureCheck {
  const key = createSecretKey(Buffer.from(appSecret))
  return (body, claimed) => timingSafeEqual(createHmac('sha256', key).update(body).digest(), claimed)
}
