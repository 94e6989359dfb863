import { randomBytes, randomInt } from 'node:crypto'

// Message ids contain `/`, `+` and `=`, as the provider's do: code that forgets to escape them in paths
// fails.
export const newWamid = (): string => `wamid.${randomBytes(28).toString('base64')}`

export const newWacid = (): string => `wacid.${randomBytes(24).toString('base64url')}`

/** Decimal digits, for media and templates. Below 2^53: webhooks contain a template id as a number. */
export const newDigits = (): string =>
  `${randomInt(1_000_000, 9_007_199)}${randomInt(100_000_000, 999_999_999)}`

export const newTraceId = (): string => `A${randomBytes(16).toString('base64url')}`

export const digitsOf = (address: string): string => address.replace(/\D/g, '')

export const unixSeconds = (ms: number): string => String(Math.floor(ms / 1000))
