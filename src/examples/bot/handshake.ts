// Checks that a socket was opened by Switchboard. See https://<your Switchboard>/docs, "Receiving events".
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const WINDOW_MS = 5 * 60_000

/** Checks the headers of upgrade requests. Accepts each nonce once, so that no handshake can be replayed. */
export function handshakeJudge(secret: string): (headers: IncomingHttpHeaders) => boolean {
  const taken = new Map<string, number>()
  return (headers) => {
    const now = Date.now()
    for (const [nonce, at] of taken) if (now - at > 2 * WINDOW_MS) taken.delete(nonce)
    const timestamp = String(headers['x-communication-timestamp'])
    const nonce = String(headers['x-communication-nonce'])
    const isFresh = Math.abs(now - Number(timestamp)) < WINDOW_MS
    const expected = createHmac('sha256', secret).update(`${timestamp}.${nonce}`).digest('hex')
    const isOurs = isSame(String(headers['x-communication-signature-256']), `sha256=${expected}`)
    // Only signed nonces are stored, so that an attacker cannot fill the memory.
    if (!isFresh || !isOurs || taken.has(nonce)) return false
    taken.set(nonce, now)
    return true
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
