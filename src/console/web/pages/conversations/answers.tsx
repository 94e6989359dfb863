// What can be done with a message of the customer: quote it in a reply, or react to it.
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { IconButton } from '../../parts/button.tsx'
import { Menu } from '../../parts/menu.tsx'

export interface Answers {
  /** Quotes the message in the reply box. */
  onQuote(message: MessageRecord): void
  onReact(message: MessageRecord, emoji: string): void
}

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏']

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
