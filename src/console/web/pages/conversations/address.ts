// Addresses of conversations: of one conversation, keeping the filters of the list, and of a message in it.
import { hrefOf, place, withQuery } from '../../core/router.ts'

/** The message or call that the address names. */
export const wantedMessage = (): string | undefined => place.value.query.get('message') ?? undefined

/** Whether the address shows the details in place of the thread, where there is no room for both. */
export const isDetailed = (): boolean => place.value.query.has('details')

export function hrefOfConversation(id?: string, { details = false } = {}): string {
  const query = new URLSearchParams(place.value.query)
  query.delete('message')
  query.delete('details')
  if (details) query.set('details', 'true')
  return withQuery(hrefOf('conversations', id), query)
}

export const hrefOfMessage = (conversationId: string, id: string): string =>
  withQuery(hrefOf('conversations', conversationId), new URLSearchParams({ message: id }))
