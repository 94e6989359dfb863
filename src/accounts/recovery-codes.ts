// One-time codes that replace the second factor when its device is lost. Stores nothing.
import { createHash, randomInt } from 'node:crypto'

const recoveryCodeCount = 10

// Without characters that look alike on paper: 32 characters, five bits each.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const groups = 4
const groupLength = 4

export interface RecoveryCodes {
  /** Shown once and never stored. */
  readonly codes: readonly string[]
  readonly hashes: readonly Buffer[]
}

/** Each code has 80 random bits, so storing a fast hash of it is safe. */
export function createRecoveryCodes(): RecoveryCodes {
  const codes = Array.from({ length: recoveryCodeCount }, makeCode)
  return { codes, hashes: codes.map(hashRecoveryCode) }
}

/** Ignores case, spaces and dashes. */
export const hashRecoveryCode = (code: string): Buffer =>
  createHash('sha256').update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest()

const makeCode = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  ).join('-')
