// One conversation in the list.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { count, now } from '../../core/format.ts'
import { Badge } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Ago } from '../../parts/time.tsx'
import { hrefOfConversation } from './address.ts'
import { draftOf } from './drafts.ts'
import { outgoingOf } from './outbox.ts'
import { timeLeft } from './rules.ts'
import { excerptOf, nameOf } from './words.ts'

interface Props {
  readonly conversation: ConversationRecord
  readonly isCurrent: boolean
}

export function Item({ conversation, isCurrent }: Props) {
  const { id, contact, group, lastMessage, unreadCount, updatedAt } = conversation
  const name = nameOf({ contact, group })
  return (
    <li>
      <a
        class={unreadCount > 0 ? 'unread' : undefined}
        href={hrefOfConversation(id)}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span class="avatar" aria-hidden="true">
          {initials(contact.name) ?? <Icon name={group ? 'members' : 'account'} />}
        </span>
        <span class="item-text">
          <span class="item-top">
            <strong>{name}</strong>
            <small>
              <Ago at={lastMessage?.at ?? updatedAt} />
            </small>
          </span>
          <span class="item-bottom">
            <Excerpt conversation={conversation} />
            {contact.optedOut && <Badge tone="bad">Opted out</Badge>}
            <Closing conversation={conversation} />
            {unreadCount > 0 && (
              <span class="unread-count">
                {unreadCount > 99 ? '99+' : count(unreadCount)}
                <span class="visually-hidden"> unread</span>
              </span>
            )}
          </span>
        </span>
      </a>
    </li>
  )
}

/** What was begun or could not be sent comes before what was said last. */
function Excerpt({ conversation: { id, lastMessage } }: Pick<Props, 'conversation'>) {
  const { text, files } = draftOf(id)
  if (outgoingOf(id).some(({ problem }) => problem !== undefined))
    return <span class="excerpt bad">Not sent</span>
  if (text.trim() !== '' || files.length > 0)
    return (
      <span class="excerpt">
        <em>Draft:</em> {text.trim() || files[0]?.name}
      </span>
    )
  if (!lastMessage) return <span class="excerpt">No messages yet</span>
  const excerpt = excerptOf(lastMessage)
  return (
    <span class="excerpt">
      {excerpt.icon && <Icon name={excerpt.icon} />}
      {excerpt.text}
    </span>
  )
}

/** An unread conversation whose window closes soon should be answered first. */
function Closing({
  conversation: { windowExpiresAt, unreadCount, contact, group },
}: Pick<Props, 'conversation'>) {
  const left = timeLeft(windowExpiresAt, now.value)
  if (!left?.isShort || unreadCount === 0 || contact.optedOut || group) return null
  return (
    <span class="closing" title={`${left.text} left to reply freely`}>
      <Icon name="clock" />
      {left.text}
    </span>
  )
}

/** Mia Keller is MK. Names without letters have none. */
function initials(name: string | null): string | undefined {
  const words = (name ?? '').split(/\s+/).filter((word) => /^\p{L}/u.test(word))
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return (
    first &&
    [first, last]
      .map((word) => [...(word ?? '')][0] ?? '')
      .join('')
      .toUpperCase()
  )
}
