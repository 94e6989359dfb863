// What can be done with a message of the customer: quote it in a reply, or react to it.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { now } from '../../core/format.ts'
import { randomText } from '../../core/random-text.ts'
import { can } from '../../core/session.ts'
import { sayError } from '../../core/toasts.ts'
import { IconButton } from '../../parts/button.tsx'
import { Menu } from '../../parts/menu.tsx'
import { changeDraft } from './drafts.ts'
import { timeLeft } from './rules.ts'

export interface Answers {
  /** Quotes the message in the reply box. */
  onQuote(message: MessageRecord): void
  onReact(message: MessageRecord, emoji: string): void
}

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/** Undefined while the customer cannot be answered freely. */
export function useAnswers(
  conversation: ConversationRecord | undefined,
  look: () => unknown,
): Answers | undefined {
  if (!conversation || conversation.group || conversation.contact.optedOut || !can('AGENT')) return undefined
  if (!timeLeft(conversation.windowExpiresAt, now.value)) return undefined
  const react = (message: MessageRecord, emoji: string) =>
    api
      .post(inWorkspace(`/conversations/${message.conversationId}/reply`), {
        reaction: { messageId: message.id, emoji },
        idempotencyKey: `console-${randomText()}`,
      })
      .then(look, sayError)
  return {
    onQuote: (message) => {
      changeDraft(conversation.id, { quoted: message })
      document.querySelector<HTMLElement>('.reply textarea')?.focus()
    },
    onReact: (message, emoji) => void react(message, emoji),
  }
}

/** The provider takes answers only to what it has, and none to a reaction. */
export function AnswerButtons({
  message,
  answers,
}: {
  readonly message: MessageRecord
  readonly answers: Answers | undefined
}) {
  if (!answers || message.providerMessageId === null || message.type === 'REACTION') return null
  const { onQuote, onReact } = answers
  return (
    <>
      <IconButton label="Reply to this message" icon="reply" onClick={() => onQuote(message)} />
      <Menu
        label="React to this message"
        items={emojis.map((emoji) => ({ label: emoji, onSelect: () => onReact(message, emoji) }))}
      />
    </>
  )
}
