// The newest entry that the operator has seen of each conversation, in this browser.
import { readKept, writeKept } from '../../core/kept.ts'

type Seen = readonly (readonly [conversationId: string, entryId: string])[]

const KEPT = 'seen'
const MOST = 300

const read = (): Seen => readKept<Seen>(KEPT, localStorage) ?? []

export const lastSeen = (conversationId: string): string | undefined =>
  read().find(([id]) => id === conversationId)?.[1]

/** The latest ones are kept. */
export function markSeen(conversationId: string, entryId: string): void {
  const others = read().filter(([id]) => id !== conversationId)
  writeKept(KEPT, [[conversationId, entryId], ...others.slice(0, MOST - 1)], localStorage)
}
