// The thread of a conversation: its messages and its calls as one list, newest first. Pure.
import type { Keyset, Page } from '../contract/page.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { ThreadEntry } from '../contract/records/console.ts'
import type { MessageRecord } from '../contract/records/message.ts'
import { type CampaignId, decodeId } from '../shared/ids.ts'

/** Ids begin with the time at which they were made, and their texts sort as they do. */
const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1)

/**
 * Both pages are read with the same limit from the same place, so the newest of them together are the page of the
 * thread. It says whether anything is behind it.
 */
export function mergeThread(
  messages: Page<MessageRecord>,
  calls: Page<CallRecord>,
  limit: number,
): Page<ThreadEntry> {
  const all: ThreadEntry[] = [
    ...messages.data.map(
      (message) => ({ id: message.id, kind: 'message', message, campaign: null }) as const,
    ),
    ...calls.data.map((call) => ({ id: call.id, kind: 'call', call }) as const),
  ]
  all.sort((one, other) => (timeOf(one.id) < timeOf(other.id) ? 1 : -1))
  const data = all.slice(0, limit)
  const hasMore = all.length > limit || messages.next !== undefined || calls.next !== undefined
  return { data, next: hasMore ? keysetOf(data.at(-1)) : undefined }
}

function keysetOf(entry: ThreadEntry | undefined): Keyset | undefined {
  const id = entry && (entry.kind === 'call' ? decodeId('call', entry.id) : decodeId('message', entry.id))
  return id === undefined ? undefined : [id]
}

/** The campaigns that sent some of these messages, each once. */
export function campaignsIn(entries: readonly ThreadEntry[]): CampaignId[] {
  const shown = entries.flatMap((entry) =>
    entry.kind === 'message' ? (entry.message.caller?.campaignId ?? []) : [],
  )
  return [...new Set(shown)].flatMap((id) => decodeId('campaign', id) ?? [])
}

/** The same entries, those of campaigns with the name. */
export const withCampaigns = (
  entries: readonly ThreadEntry[],
  names: ReadonlyMap<string, string>,
): ThreadEntry[] =>
  entries.map((entry) => {
    const id = entry.kind === 'message' ? entry.message.caller?.campaignId : undefined
    const name = id ? names.get(id) : undefined
    return id && name !== undefined ? ({ ...entry, campaign: { id, name } } as ThreadEntry) : entry
  })
