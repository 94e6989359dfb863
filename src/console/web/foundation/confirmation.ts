// What shows or changes a secret needs the password to have been given a short while ago. Calls that are refused for
// it wait here until one dialog has asked, and are then repeated.
import { signal } from '@preact/signals'

type Settle = (isConfirmed: boolean) => void

let waiting: Settle[] = []
let known = ''

export const isConfirming = signal(false)

/** `password` is what the refused call carried itself, which need not be typed twice. */
export const askToConfirm = (password = ''): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    known = password
    isConfirming.value = true
  })

export const knownPassword = (): string => known

/** Lets everything go on that waits, or gives it up. */
export function settleConfirmation(isConfirmed: boolean): void {
  const settled = waiting
  waiting = []
  known = ''
  isConfirming.value = false
  for (const settle of settled) settle(isConfirmed)
}
