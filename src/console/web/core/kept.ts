// What one operator has not finished in this tab, or has seen in this browser; apart from what others left who signed in
// here.
import { signal } from '@preact/signals'
import { operatorId } from './session.ts'

const keyOf = (name: string) => `switchboard.${name}.${operatorId.peek()}`

export function readKept<Value>(name: string, storage = sessionStorage): Value | undefined {
  if (operatorId.peek() === undefined) return undefined
  try {
    return JSON.parse(storage.getItem(keyOf(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Storage may be full or refused: then it is kept while the page is open. Of nobody, nothing is kept. */
export function writeKept(name: string, value: unknown, storage = sessionStorage): void {
  if (operatorId.peek() === undefined) return
  try {
    storage.setItem(keyOf(name), JSON.stringify(value))
  } catch {}
}

interface Shape<Value> {
  readonly empty: Value
  /** From what was kept to what is shown. */
  read(kept: Value): Value
  /** What of it is kept. */
  write(value: Value): Value
}

export interface Own<Value> {
  /** Tells components of changes, also of the operator. */
  get(): Value
  set(value: Value): void
}

/** What the operator who is signed in has: whoever comes next has their own, and work that still runs finds nothing. */
export function createOwn<Value>(name: string, { empty, read, write }: Shape<Value>): Own<Value> {
  const state = signal(empty)
  let owner: string | undefined
  function get(): Value {
    // Read on first use, because only then the operator is known.
    if (operatorId.value !== owner) {
      owner = operatorId.peek()
      state.value = read(readKept<Value>(name) ?? empty)
    }
    return state.value
  }
  function set(value: Value): void {
    get()
    if (owner === undefined) return
    state.value = value
    writeKept(name, write(value))
  }
  return { get, set }
}
