// X-Hub-Signature-256: `sha256=` and the HMAC of the raw bytes under the app secret, in hex.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const form = /^sha256=([0-9a-f]{64})$/i

export type SignatureCheck = (body: Uint8Array, header: string | undefined) => boolean

/** The key is prepared once. What is checked are the bytes as received: the provider escapes them its own way. */
export function signatureCheck(appSecret: string): SignatureCheck {
  const key = createSecretKey(Buffer.from(appSecret))
  return (body, header) => {
    const given = form.exec(header ?? '')?.[1]
    if (given === undefined) return false
    const expected = createHmac('sha256', key).update(body).digest()
    return timingSafeEqual(expected, Buffer.from(given, 'hex'))
  }
}
