// What one operator has not finished in this tab, or has seen in this browser; apart from what others left who signed in
// here.
import { me } from './session.ts'

const keyOf = (name: string) => `switchboard.${name}.${me.peek()?.operator.id ?? ''}`

export function readKept<Value>(name: string, storage = sessionStorage): Value | undefined {
  try {
    return JSON.parse(storage.getItem(keyOf(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Storage may be full or refused: then it is kept while the page is open. */
export function writeKept(name: string, value: unknown, storage = sessionStorage): void {
  try {
    storage.setItem(keyOf(name), JSON.stringify(value))
  } catch {}
}
