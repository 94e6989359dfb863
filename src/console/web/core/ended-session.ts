// A session may end in the middle of work. The page stays, one dialog over it signs in again, and the requests that were
// refused are then repeated.
import { signal } from '@preact/signals'
import { createWaiting } from './waiting.ts'

const waiting = createWaiting()

/** The id of the operator whose page this is. Before somebody is signed in, the sign-in is a page. */
export const worker = signal<string | undefined>(undefined)

export const isSessionEnded = waiting.isAsking

/** Resolves to whether the same operator has signed in again. */
export const askToSignIn = waiting.ask

let times = 0

/** How often somebody signed in over the page: what ended before the last time is settled. */
export const timesSignedIn = (): number => times

export function settleSignIn(isSame: boolean): void {
  if (isSame) times += 1
  waiting.settle(isSame)
}
