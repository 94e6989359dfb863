// Requests that cannot go on before somebody has answered a dialog wait together: one dialog answers for all.
import { type Signal, signal } from '@preact/signals'

export interface Waiting {
  /** Whether the dialog is to be shown. */
  readonly isAsking: Signal<boolean>
  /** Resolves to whether the request goes on. */
  ask(): Promise<boolean>
  settle(goesOn: boolean): void
}

export function createWaiting(): Waiting {
  let waiting: ((goesOn: boolean) => void)[] = []
  const isAsking = signal(false)
  return {
    isAsking,
    ask: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        isAsking.value = true
      }),
    settle(goesOn) {
      const settled = waiting
      waiting = []
      isAsking.value = false
      for (const settle of settled) settle(goesOn)
    },
  }
}
