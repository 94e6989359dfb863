// HMAC-SHA256 in the provider's form, which is the receiver's form too: sha256=<hex>.
import { createHmac, timingSafeEqual } from 'node:crypto'

export const signatureOf = (secret, body) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export function isSigned(secret, body, given) {
  const expected = signatureOf(secret, body)
  return (
    typeof given === 'string' &&
    given.length === expected.length &&
    timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  )
}
