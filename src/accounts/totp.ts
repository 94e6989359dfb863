// The optional second factor: time-based codes of RFC 6238 (SHA-1, 30 s, six digits), for authenticator apps.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The sealed state of a second factor: the seed, and the last time step whose code was accepted. */
export interface TotpState {
  /** Base32, as it is typed into an app. */
  readonly seed: string
  readonly lastStep: number
}

const STEP_MS = 30_000
const DIGITS = 6
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 160 random bits, the length that RFC 4226 recommends. */
export const createTotpSeed = (): string => encodeBase32(randomBytes(20))

export const totpUri = (seed: string, email: string): string =>
  `otpauth://totp/Switchboard:${encodeURIComponent(email)}?secret=${seed}&issuer=Switchboard`

export const totpStep = (atMs: number): number => Math.floor(atMs / STEP_MS)

export function totpCode(seed: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decodeBase32(seed)).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

/**
 * The new state to store where the code is right, else undefined. The clock may be one step off in either
 * direction. A step at or before the last accepted step is refused, so an observed code cannot be used again.
 */
export function acceptTotp(state: TotpState, code: string, nowMs: number): TotpState | undefined {
  const given = Buffer.from(code)
  const now = totpStep(nowMs)
  const step = [now - 1, now, now + 1].find((candidate) => {
    const expected = Buffer.from(totpCode(state.seed, candidate))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
  return step === undefined || step <= state.lastStep ? undefined : { ...state, lastStep: step }
}

export const writeTotpState = (state: TotpState): string => `${state.seed}:${state.lastStep}`

export function readTotpState(text: string): TotpState {
  const [seed = '', lastStep = '0'] = text.split(':')
  return { seed, lastStep: Number(lastStep) }
}

function encodeBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
