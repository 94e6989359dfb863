// The inbox: conversations with unread messages first, then the others, each by their latest activity.
import type { ConversationFilter } from '../contract/filters.ts'
import type { Keyset, Page, PageRequest } from '../contract/page.ts'
import type { ConversationRecord } from '../contract/records/conversation.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { ConsoleReads } from './reads.ts'

/** Before all conversations that were read: the place where they begin. */
const beginning: Keyset = ['9999-12-31T23:59:59.999Z', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

const within = (part: 'unread' | 'read', next: Keyset | undefined): Keyset | undefined =>
  next && [part, ...next]

/** Two lists behind one another, each from its index: the second is read only where the first ends. */
export async function unreadFirst(
  { list }: Pick<ConsoleReads['conversations'], 'list'>,
  workspaceId: WorkspaceId,
  filter: Omit<ConversationFilter, 'unread'>,
  { limit, after }: PageRequest,
): Promise<Page<ConversationRecord>> {
  const [part = 'unread', ...place] = after ?? []
  const request = (most: number) => ({ limit: most, after: place.length === 0 ? undefined : place })
  if (part === 'read') {
    const { data, next } = await list(workspaceId, { ...filter, unread: false }, request(limit))
    return { data, next: within('read', next) }
  }
  const unread = await list(workspaceId, { ...filter, unread: true }, request(limit))
  if (unread.next) return { data: unread.data, next: within('unread', unread.next) }
  const room = limit - unread.data.length
  if (room === 0) return { data: unread.data, next: within('read', beginning) }
  const read = await list(workspaceId, { ...filter, unread: false }, { limit: room })
  return { data: [...unread.data, ...read.data], next: within('read', read.next) }
}
