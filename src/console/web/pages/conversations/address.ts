// Addresses of conversations: of one conversation, keeping the filters of the list, and of a message in it.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { hrefOf, place, withQuery } from '../../core/router.ts'

/** The message that the address names. */
export const wantedMessage = (): string | undefined => place.value.query.get('message') ?? undefined

export function hrefOfConversation(id?: string): string {
  const query = new URLSearchParams(place.value.query)
  query.delete('message')
  return withQuery(hrefOf('conversations', id), query)
}

export const hrefOfMessage = (conversationId: string, id: string): string =>
  withQuery(hrefOf('conversations', conversationId), new URLSearchParams({ message: id }))

/** The contact, or the group. */
export const nameOf = ({ contact, group }: Pick<ConversationRecord, 'contact' | 'group'>): string =>
  group ? `Group ${group.id}` : (contact.name ?? contact.number)
