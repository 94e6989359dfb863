// Who a user is to the provider: the number that it makes of a dialled one, and the business-scoped user id.
import { createHash } from 'node:crypto'
import { digitsOf } from './ids.ts'

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** A business-scoped user id such as `PT.44100928`, or the id of a parent portfolio such as `PT.ENT.7719`. */
export const isUserId = (address: string): boolean => USER_ID.test(address)

export const isParentId = (address: string): boolean => isUserId(address) && address.slice(3, 7) === 'ENT.'

/** ISO code that no country has: ids with it belong to the users of another portfolio. */
export const isForeignId = (address: string): boolean => address.startsWith('ZZ.')

/** Calling codes of the countries that the simulator knows; the first match wins. All others are written as US. */
const COUNTRIES: readonly (readonly [callingCode: string, country: string])[] = [
  ['1', 'US'],
  ['351', 'PT'],
  ['34', 'ES'],
  ['44', 'GB'],
  ['49', 'DE'],
  ['52', 'MX'],
  ['54', 'AR'],
  ['55', 'BR'],
  ['57', 'CO'],
  ['20', 'EG'],
  ['91', 'IN'],
]

const digest = (text: string): string =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString()

/** The user id of a number. Whoever takes over a given-up number is another person: `owner` counts them. */
export function userIdOf(waId: string, owner: number): string {
  const country = COUNTRIES.find(([code]) => waId.startsWith(code))?.[1] ?? 'US'
  return `${country}.${digest(`${waId}/${owner}`).slice(0, 17)}`
}

/** An invented number for a user id that nobody has yet. It keeps the last four digits, which select the behaviour. */
export function numberBehind(userId: string): string {
  const code = COUNTRIES.find(([, country]) => userId.startsWith(country))?.[0] ?? '1'
  const ending = /\d{4}$/.exec(userId)?.[0] ?? digest(userId).slice(8, 12)
  return waIdOf(`${code}90${digest(userId).slice(0, 12 - code.length - 6)}${ending}`)
}

/** Areas of Brazil whose mobile numbers have always had the ninth digit at the provider. */
const BRAZIL_NINE_DIGITS = /^55(?:1[1-9]|2[12478])/

/**
 * The provider's id of a dialled number. Older accounts in most of Brazil lack the ninth digit; Mexico's and
 * Argentina's mobile numbers have a digit after the calling code that is not always dialled.
 */
export function waIdOf(dialled: string): string {
  const digits = digitsOf(dialled)
  if (/^55\d{2}9\d{8}$/.test(digits) && !BRAZIL_NINE_DIGITS.test(digits)) {
    return digits.slice(0, 4) + digits.slice(5)
  }
  if (/^55\d{2}[6-9]\d{7}$/.test(digits) && BRAZIL_NINE_DIGITS.test(digits)) {
    return `${digits.slice(0, 4)}9${digits.slice(4)}`
  }
  if (/^52[2-9]\d{9}$/.test(digits)) return `521${digits.slice(2)}`
  if (/^54[1-8]\d{9}$/.test(digits)) return `549${digits.slice(2)}`
  return digits
}
