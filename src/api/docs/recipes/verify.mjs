import { createHmac, timingSafeEqual } from 'node:crypto'

const sign = (secret, content) => `sha256=${createHmac('sha256', secret).update(content).digest('hex')}`

function isSame(given = '', expected) {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** `body`: a Buffer with the unchanged bytes of the request. `headers`: as node:http gives them. */
export const isGenuine = (body, headers, secret) =>
  isSame(headers['x-communication-signature-256'], sign(secret, body))

/** Checks a WebSocket upgrade request. If it returns false, close with code 1008. */
export function isGenuineUpgrade(headers, secret, now = Date.now()) {
  const timestamp = headers['x-communication-timestamp']
  const nonce = headers['x-communication-nonce']
  const isFresh = Math.abs(now - Number(timestamp)) < 5 * 60 * 1000
  return isFresh && isSame(headers['x-communication-signature-256'], sign(secret, `${timestamp}.${nonce}`))
}
