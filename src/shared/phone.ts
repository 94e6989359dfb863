// Phone numbers: E.164 with a plus in requests and for the workspace; in records the customer is digits only.

const e164 = /^\+[1-9]\d{6,14}$/

export const isE164 = (text: string): boolean => e164.test(text)

/** `+15551230000` → `15551230000`, the provider's form of a customer (wa_id). */
export const toDigits = (number: string): string => number.replace(/\D/g, '')

export const toE164 = (digits: string): string => `+${toDigits(digits)}`
