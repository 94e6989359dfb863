// The idempotency keys of templates whose sending is not known to have succeeded.
import { useState } from 'preact/hooks'
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import { randomText } from '../../core/random-text.ts'

export interface TemplateKeys {
  /** One key per content: a retry after a lost answer keeps it, a changed message has another. */
  of(message: object): string
  /** It was sent: the same content is another message from now on. */
  sent(message: object): void
  /** The same for all that somebody sees in the thread, although their answers were lost. */
  seen(entries: readonly ThreadEntry[]): void
}

function createTemplateKeys(): TemplateKeys {
  const keys = new Map<string, string>()
  return {
    of(message) {
      const text = JSON.stringify(message)
      const key = keys.get(text) ?? `console-${randomText()}`
      keys.set(text, key)
      return key
    },
    sent(message) {
      keys.delete(JSON.stringify(message))
    },
    seen(entries) {
      const arrived = new Set(
        entries.map((entry) => (entry.kind === 'message' ? entry.message.caller?.idempotencyKey : undefined)),
      )
      for (const [text, key] of keys) if (arrived.has(key)) keys.delete(text)
    },
  }
}

/** Of one conversation, however often its dialog is closed and opened. */
export const useTemplateKeys = (): TemplateKeys => useState(createTemplateKeys)[0]
