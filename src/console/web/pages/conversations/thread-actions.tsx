// What can be done with a conversation: mark it as read, send a template, see the details.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { type Action, useAction } from '../../core/load.ts'
import { can } from '../../core/session.ts'
import { sayError } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/states.tsx'
import { hrefOfConversation, isDetailed } from './address.ts'
import { tellNews } from './news.ts'

export interface Reading {
  readonly action: Action
  mark(): void
  /** Who answers has read: nothing is left for others to do. */
  markAfterReply(): void
}

export function useReading(conversation: ConversationRecord | undefined, look: () => unknown): Reading {
  const action = useAction()
  const post = async () => {
    await api.post(inWorkspace(`/conversations/${conversation?.id}/read`))
    tellNews()
    await look()
  }
  return {
    action,
    mark: () => void action.run(post),
    markAfterReply: () => {
      if (conversation && conversation.unreadCount > 0) post().catch(sayError)
      else tellNews()
    },
  }
}

interface Props {
  readonly conversation: ConversationRecord
  readonly reading: Reading
  onTemplate(): void
}

export function Actions({ conversation, reading, onTemplate }: Props) {
  const { id, unreadCount, contact, group } = conversation
  const isOpen = isDetailed()
  return (
    <>
      {can('AGENT') && !group && unreadCount > 0 && (
        <Button
          icon="check"
          data-key="read"
          title="Mark every message as read (U)"
          isBusy={reading.action.isBusy}
          onClick={reading.mark}
        >
          Mark read
        </Button>
      )}
      {can('AGENT') && !group && (
        <Button
          icon="templates"
          disabled={contact.optedOut}
          title={contact.optedOut ? 'The contact has opted out' : undefined}
          onClick={onTemplate}
        >
          Send template
        </Button>
      )}
      <a
        class="button details-link"
        href={hrefOfConversation(id, { details: !isOpen })}
        aria-current={isOpen ? 'true' : undefined}
      >
        <Icon name="account" />
        <span>Details</span>
      </a>
      <Problem error={reading.action.error} />
    </>
  )
}
