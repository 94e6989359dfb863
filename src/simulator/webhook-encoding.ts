import { createHmac } from 'node:crypto'

const escapeUnit = (unit: string): string =>
  unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * The body as the provider writes it: non-ASCII as `\uXXXX`, one escape for each UTF-16 unit, and `/` as
 * `\/`. A receiver that hashes a re-serialised body instead of the raw bytes therefore computes another
 * signature.
 */
export const encodeWebhook = (payload: unknown): Buffer =>
  Buffer.from(JSON.stringify(payload).replace(/[\u007f-\uffff/]/g, escapeUnit), 'latin1')

/** The value of `X-Hub-Signature-256` for these exact bytes. */
export const signatureOf = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
