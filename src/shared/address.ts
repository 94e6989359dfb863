// The address of a person: the digits of a phone number, or the user id under which the provider shows somebody who
// hides the number. A user id is never a number: its form is tested before any digit is looked at.
import { isE164, toDigits } from './phone.ts'

/** `US.13491208655302741918`, or a parent id such as `US.ENT.7719`. */
const userId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/
const digits = /^\d{5,20}$/

/** What a request must hold where it names a person. */
export const addressForm =
  'a phone number in international format, such as +15551230000, or a user id, such as US.13491208655302741918'

export const isUserId = (text: string): boolean => userId.test(text)
export const isParentId = (userId: string): boolean => userId.startsWith('ENT.', 3)

/** `+15551230000` → `15551230000`; a user id stays. Undefined where it is neither. */
export function addressOf(text: string): string | undefined {
  if (isUserId(text)) return text
  return isE164(text) ? toDigits(text) : undefined
}

/** Whether somebody can be written to there. */
export const isAddress = (text: string): boolean => digits.test(text) || isUserId(text)

/** The digits of an address that is a phone number. */
export const phoneOf = (address: string): string | null => (digits.test(address) ? address : null)

/** The user id of an address that is one. */
export const userIdOf = (address: string): string | null => (isUserId(address) ? address : null)

/**
 * The other ways to write some mobile numbers: the provider may show a number without the digit with which it is
 * dialled. Brazil's ninth digit, Mexico's 1, Argentina's 9.
 */
export function spellingsOf(address: string): readonly string[] {
  const brazil = /^55(\d{2})(9?)([6-9]\d{7})$/.exec(address)
  if (brazil) return [`55${brazil[1]}${brazil[2] === '9' ? '' : '9'}${brazil[3]}`]
  const mexico = /^52(1?)(\d{10})$/.exec(address)
  if (mexico) return [`52${mexico[1] === '1' ? '' : '1'}${mexico[2]}`]
  const argentina = /^54(9?)(\d{10})$/.exec(address)
  if (argentina) return [`54${argentina[1] === '9' ? '' : '9'}${argentina[2]}`]
  return []
}
