// Some requests, such as those that show or change a secret, need a recently confirmed password. Those refused for it wait here
// until one dialog has asked for the password, and are then repeated.
import { signal } from '@preact/signals'

type Settle = (isConfirmed: boolean) => void

let waiting: Settle[] = []
let known = ''

export const isConfirming = signal(false)

/** `password` comes from the refused request itself, so that it need not be typed twice. */
export const askToConfirm = (password = ''): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    known = password
    isConfirming.value = true
  })

export const knownPassword = (): string => known

/** Continues or cancels all waiting requests. */
export function settleConfirmation(isConfirmed: boolean): void {
  const settled = waiting
  waiting = []
  known = ''
  isConfirming.value = false
  for (const settle of settled) settle(isConfirmed)
}
