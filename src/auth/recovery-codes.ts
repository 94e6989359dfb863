// One-time codes that stand in for the second factor when its device is gone. Stores nothing.
import { createHash, randomInt } from 'node:crypto'

const recoveryCodeCount = 10

// Without what is easily taken for something else on paper: 32 letters, five bits each.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const groups = 4
const groupLength = 4

export interface RecoveryCodes {
  /** Shown once and kept nowhere. */
  readonly codes: readonly string[]
  readonly hashes: readonly Buffer[]
}

/** 80 random bits each, so a quick hash gives nothing away. */
export function createRecoveryCodes(): RecoveryCodes {
  const codes = Array.from({ length: recoveryCodeCount }, makeCode)
  return { codes, hashes: codes.map(hashRecoveryCode) }
}

/** The same for a code in small letters, and with or without its dashes. */
export const hashRecoveryCode = (code: string): Buffer =>
  createHash('sha256').update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest()

const makeCode = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  ).join('-')
