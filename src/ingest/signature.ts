// X-Hub-Signature-256: `sha256=` and the HMAC of the raw bytes under the app secret, in hex.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const form = /^sha256=([0-9a-f]{64})$/i

/** The digest a header claims; undefined where it claims none. */
export function readSignature(header: string | undefined): Buffer | undefined {
  const hex = form.exec(header ?? '')?.[1]
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

export type SignatureCheck = (body: Uint8Array, claimed: Uint8Array) => boolean

/** The key is prepared once. What is checked are the bytes as received: the provider escapes them its own way. */
export function signatureCheck(appSecret: string): SignatureCheck {
  const key = createSecretKey(Buffer.from(appSecret))
  return (body, claimed) => timingSafeEqual(createHmac('sha256', key).update(body).digest(), claimed)
}
