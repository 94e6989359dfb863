// Tokens that stand for somebody: random, and long enough that a fast hash of them is all that is stored.
import { createHash, randomBytes } from 'node:crypto'

/** 32 random bytes. */
export const createToken = (): string => randomBytes(32).toString('base64url')

export const tokenShape = /^[\w-]{43}$/

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
