// Some requests, such as those that show or change a secret, need a recently confirmed password. Those refused for it wait here
// until one dialog has asked for the password, and are then repeated.
import { createWaiting } from './waiting.ts'

const waiting = createWaiting()
let known = ''

export const isConfirming = waiting.isAsking

/** `password` comes from the refused request itself, so that it need not be typed twice. */
export function askToConfirm(password = ''): Promise<boolean> {
  known = password
  return waiting.ask()
}

export const knownPassword = (): string => known

/** Continues or cancels all waiting requests. */
export function settleConfirmation(isConfirmed: boolean): void {
  known = ''
  waiting.settle(isConfirmed)
}
