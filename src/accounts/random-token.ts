// Random tokens that authenticate their holder. They are so long that storing a fast hash of them is safe.
import { createHash, randomBytes } from 'node:crypto'

/** Random bytes in base64url. Use 32 bytes where the token alone authenticates. */
export const createToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

export const tokenShape = /^[\w-]{43}$/

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
