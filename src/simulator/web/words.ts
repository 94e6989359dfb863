// Formats phone numbers, times and values for display.
import { signal } from '@preact/signals'

/** Advances every second, for call timers and for states that expire. */
export const now = signal(Date.now())

export function startClock(): void {
  setInterval(() => {
    now.value = Date.now()
  }, 1000)
}

/** A business-scoped user id: it addresses a handset like a number does. */
export const isUserId = (text: string): boolean => /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(text)

/** 15557000001 as +1 555 700 0001. A user id stays as it is. */
export const phoneNumber = (digits: string): string =>
  isUserId(digits) ? digits : `+${digits.replace(/^(1)(\d{3})(\d{3})(\d{4})$/, '$1 $2 $3 $4')}`

const shortFormat = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
export const shortTime = (at: string): string => shortFormat.format(new Date(at))

const exactFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
export const exactTime = (at: string): string => exactFormat.format(new Date(at))

/** Milliseconds as 1:05. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const pretty = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

export const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
