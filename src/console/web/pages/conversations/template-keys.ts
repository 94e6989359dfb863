// The idempotency keys of templates whose sending is not known to have succeeded, by what they say.
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import { randomText } from '../../core/random-text.ts'

/** Of one conversation, however often its dialog is closed and opened. */
export type TemplateKeys = Map<string, string>

/** One key per content: a retry after a lost answer keeps it, a changed message has another. */
export function keyOf(keys: TemplateKeys, message: object): string {
  const text = JSON.stringify(message)
  const key = keys.get(text) ?? `console-${randomText()}`
  keys.set(text, key)
  return key
}

/** It was sent: the same content is another message from now on. */
export const forgetSent = (keys: TemplateKeys, message: object): void => {
  keys.delete(JSON.stringify(message))
}

/** The same for all that somebody sees in the thread, although their answers were lost. */
export function forgetSeen(keys: TemplateKeys, entries: readonly ThreadEntry[]): void {
  const arrived = new Set(
    entries.map((entry) => (entry.kind === 'message' ? entry.message.caller?.idempotencyKey : undefined)),
  )
  for (const [text, key] of keys) if (arrived.has(key)) keys.delete(text)
}
