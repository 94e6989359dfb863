import { randomBytes, randomInt } from 'node:crypto'

// Message ids keep the provider's awkward alphabet (`/`, `+`, `=`): code that puts one into a path unescaped fails here first.
export const newWamid = (): string => `wamid.${randomBytes(28).toString('base64')}`

export const newWacid = (): string => `wacid.${randomBytes(24).toString('base64url')}`

/** Media and template ids are decimal digits; webhooks carry a template's as a number, which must stay exact. */
export const newDigits = (): string =>
  `${randomInt(1_000_000, 9_007_199)}${randomInt(100_000_000, 999_999_999)}`

export const newTraceId = (): string => `A${randomBytes(16).toString('base64url')}`

export const digitsOf = (address: string): string => address.replace(/\D/g, '')

export const unixSeconds = (ms: number): string => String(Math.floor(ms / 1000))
