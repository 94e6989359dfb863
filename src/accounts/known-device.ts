// Browsers in which an operator has signed in before. A signed cookie says so, and nothing is stored: its only use
// is that wrong guesses of strangers do not slow down the operator's own browser.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeId, encodeId, type OperatorId } from '../shared/ids.ts'

export interface KnownDevices {
  /** The cookie for a browser in which the operator has just signed in. A known device keeps its id. */
  cookie(
    operatorId: OperatorId,
    options: { readonly known: string | undefined; readonly isSecure: boolean },
  ): string
  /**
   * The id of the device, where its cookie is genuine and of this operator; else undefined. `isSecure`: only the
   * cookie that no other host can plant counts.
   */
  idOf(
    operatorId: OperatorId,
    options: { readonly cookies: string | undefined; readonly isSecure: boolean },
  ): string | undefined
}

const COOKIE = 'switchboard_device'

/** For the same reason as the session's: a browser takes it only from the host itself over TLS. */
const SECURE_COOKIE = `__Host-${COOKIE}`

/** Each sign-in lengthens it. Browsers keep no cookie for more than 400 days. */
const LIFETIME_SECONDS = 180 * 86_400

/**
 * `keys`: the first signs, all verify. The cookie is `<device>.<operator>.<end in s>.<HMAC-SHA256>`. The operator is a
 * part of it, because a sign-in to one account says nothing about guesses at another.
 */
export function createKnownDevices(keys: readonly Uint8Array[], now: () => number): KnownDevices {
  const [signing] = keys
  if (!signing) throw new TypeError('known devices need a key')
  return {
    cookie(operatorId, { known, isSecure }) {
      const device = known ?? randomBytes(12).toString('base64url')
      const end = Math.floor(now() / 1_000) + LIFETIME_SECONDS
      const claim = `${device}.${encodeId('operator', operatorId)}.${end}`
      const value = `${claim}.${sign(signing, claim).toString('base64url')}`
      const [path, more] = isSecure ? ['/', '; Secure'] : ['/console', '']
      return `${cookieName(isSecure)}=${value}; Path=${path}; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Strict${more}`
    },
    idOf(operatorId, { cookies, isSecure }) {
      for (const value of valuesOf(cookies, cookieName(isSecure))) {
        const [, device = '', operator = '', end = '', mac = ''] = shape.exec(value) ?? []
        if (decodeId('operator', operator) !== operatorId || Number(end) * 1_000 <= now()) continue
        const given = Buffer.from(mac, 'base64url')
        const claim = `${device}.${operator}.${end}`
        if (keys.some((key) => timingSafeEqual(sign(key, claim), given))) return device
      }
      return undefined
    },
  }
}

const cookieName = (isSecure: boolean): string => (isSecure ? SECURE_COOKIE : COOKIE)

const valuesOf = (cookies: string | undefined, wanted: string): string[] =>
  (cookies?.split(';') ?? []).flatMap((pair) => {
    const [name, value = ''] = pair.trim().split('=', 2)
    return name === wanted ? [value] : []
  })

const shape = /^([\w-]{16})\.(\w{8,64})\.(\d{1,12})\.([\w-]{43})$/

const sign = (key: Uint8Array, claim: string): Buffer =>
  createHmac('sha256', key).update('known device\n').update(claim).digest()
