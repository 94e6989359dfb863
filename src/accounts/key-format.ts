// Creates, parses and compares keys of the form `ck_<env>_<prefix>_<secret>`. Does not use the database.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

export type KeyEnvironment = 'live' | 'test'

export interface ParsedKey {
  readonly environment: KeyEnvironment
  readonly prefix: string
  readonly secret: string
}

export interface NewKey {
  /** Shown once and never stored. */
  readonly key: string
  readonly prefix: string
  readonly secretHash: Buffer
}

const prefixLength = 10
const secretLength = 43
const pattern = /^ck_(live|test)_([0-9A-Za-z]{10})_([0-9A-Za-z]{43})$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const keyEnvironment = (appEnv: string): KeyEnvironment => (appEnv === 'production' ? 'live' : 'test')

/** Undefined where the text does not have exactly the form of a key. */
export function parseKey(text: string): ParsedKey | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, environment, prefix = '', secret = ''] = match
  return { environment: environment as KeyEnvironment, prefix, secret }
}

export function makeKey(environment: KeyEnvironment): NewKey {
  const prefix = toBase62(randomBytes(16), prefixLength)
  const secret = toBase62(randomBytes(32), secretLength)
  return { key: `ck_${environment}_${prefix}_${secret}`, prefix, secretHash: hashSecret(secret) }
}

// One-shot hashing into hex costs a third of hashing into a buffer.
export const hashSecret = (secret: string): Buffer => Buffer.from(hash('sha256', secret, 'hex'), 'hex')

/** Takes the same time for a wrong secret as for the right one. */
export const isSecret = (secret: string, secretHash: Uint8Array): boolean =>
  secretHash.byteLength === 32 && timingSafeEqual(hashSecret(secret), secretHash)

/** 32 bytes fit into 43 digits. Where the bytes need more digits than `length`, the last digits are used. */
function toBase62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (let index = 0; index < length; index += 1) {
    text = alphabet[Number(value % 62n)] + text
    value /= 62n
  }
  return text
}
