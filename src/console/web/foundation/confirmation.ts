// What shows or changes a secret needs the password to have been given a short while ago. Calls that are refused for
// it wait here until one dialog has asked, and are then repeated.
import { signal } from '@preact/signals'

type Settle = (isConfirmed: boolean) => void

let waiting: Settle[] = []

export const isConfirming = signal(false)

export const askToConfirm = (): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    isConfirming.value = true
  })

/** Lets everything go on that waits, or gives it up. */
export function settleConfirmation(isConfirmed: boolean): void {
  const settled = waiting
  waiting = []
  isConfirming.value = false
  for (const settle of settled) settle(isConfirmed)
}
