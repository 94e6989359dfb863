// One conversation: the oldest message on top, the newest at the bottom, updated while it is open.
import { useEffect, useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { now } from '../../core/format.ts'
import { useAction, useList, useResource } from '../../core/load.ts'
import { randomText } from '../../core/random-text.ts'
import { useRepeat } from '../../core/repeat.ts'
import { hrefOf, setQuery } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { sayError } from '../../core/toasts.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { hrefOfConversation, nameOf, wantedMessage } from './address.ts'
import type { Answers } from './answers.tsx'
import { Messages } from './messages.tsx'
import { PrivacyMenu } from './privacy.tsx'
import { ReplyBox } from './reply.tsx'
import { SendTemplate } from './send-template.tsx'
import { Standing } from './standing.tsx'

const LOOK_MS = 2_500
const SHOWN = 50

export function Thread({ id }: { readonly id: string }) {
  const conversation = useResource<ConversationRecord>(inWorkspace(`/conversations/${id}`))
  const { messages, wanted, around } = useThread(id)
  const { data } = conversation
  const look = () => {
    conversation.reload()
    return messages.refresh()
  }
  useRepeat(data && LOOK_MS, look)
  const [isChoosing, setChoosing] = useState(false)
  const { quoted, unquote, answers } = useAnswers(data, look)
  const back = { href: hrefOfConversation(), title: 'Conversations' }
  const failure = !data && conversation.error
  return (
    <section class="thread" aria-label="Conversation">
      <PageHeader
        title={data ? nameOf(data) : 'Conversation'}
        back={back}
        intro={data && <Standing conversation={data} />}
        actions={
          data &&
          !data.group && (
            <Actions conversation={data} onDone={() => void look()} onTemplate={() => setChoosing(true)} />
          )
        }
      />
      {failure && <ErrorState error={failure} onRetry={conversation.reload} />}
      {!failure && !messages.rows && !messages.error && <Skeleton rows={8} />}
      {!failure && !messages.rows && messages.error && (
        <ErrorState error={messages.error} onRetry={messages.reload} />
      )}
      {!failure && messages.rows && (
        <>
          {around !== undefined && (
            <div class="thread-older">
              <span>These are older messages.</span>
              <Button onClick={toNewest}>Go to the newest</Button>
            </div>
          )}
          <Messages key={around} list={messages} wanted={wanted} answers={answers} />
        </>
      )}
      {data && messages.rows && (
        <Answering
          key={id}
          {...{ conversation: data, quoted, isChoosing }}
          onUnquote={unquote}
          onChoose={setChoosing}
          onDone={() => void look()}
        />
      )}
    </section>
  )
}

interface AnsweringProps {
  readonly conversation: ConversationRecord
  readonly quoted: MessageRecord | undefined
  /** A template is being chosen. */
  readonly isChoosing: boolean
  onUnquote(): void
  onChoose(isChoosing: boolean): void
  onDone(): void
}

function Answering({ conversation, quoted, isChoosing, onUnquote, onChoose, onDone }: AnsweringProps) {
  if (!can('AGENT')) return null
  return (
    <>
      <ReplyBox {...{ conversation, quoted, onUnquote }} onSent={onDone} onTemplate={() => onChoose(true)} />
      {isChoosing && (
        <SendTemplate
          conversation={conversation}
          onClose={() => onChoose(false)}
          onDone={() => {
            onChoose(false)
            onDone()
          }}
        />
      )}
    </>
  )
}

/** Quoting and reacting, while the customer can be answered freely. */
function useAnswers(conversation: ConversationRecord | undefined, look: () => void) {
  const [quoted, setQuoted] = useState<MessageRecord>()
  const expiresAt = conversation?.windowExpiresAt
  const isOpen = expiresAt && Date.parse(expiresAt) > now.value && !conversation.contact.optedOut
  const react = (message: MessageRecord, emoji: string) =>
    api
      .post(inWorkspace(`/conversations/${message.conversationId}/reply`), {
        reaction: { messageId: message.id, emoji },
        idempotencyKey: `console-${randomText()}`,
      })
      .then(look, sayError)
  const answers: Answers = { onQuote: setQuoted, onReact: (message, emoji) => void react(message, emoji) }
  const isHere = quoted?.conversationId === conversation?.id
  return {
    quoted: isHere ? quoted : undefined,
    unquote: () => setQuoted(undefined),
    answers: isOpen && !conversation.group && can('AGENT') ? answers : undefined,
  }
}

const toNewest = () => setQuery({ message: undefined })

/**
 * The newest messages with updates. If the address names a message that is not among them, the messages
 * around that one instead.
 */
function useThread(id: string) {
  const wanted = wantedMessage()
  const [around, setAround] = useState<string>()
  const messages = useList<MessageRecord>(
    inWorkspace(`/conversations/${id}/messages`, { limit: SHOWN, around }),
  )
  const { rows, error } = messages
  useEffect(() => {
    if (wanted === undefined) setAround(undefined)
    else if (rows && !rows.some((row) => row.id === wanted)) setAround(wanted)
  }, [wanted, rows])
  const isMissing = around !== undefined && error?.code === 'NOT_FOUND'
  useEffect(() => {
    if (!isMissing) return
    sayError(error)
    toNewest()
  }, [isMissing])
  return { messages, wanted, around }
}

function Actions({
  conversation,
  onDone,
  onTemplate,
}: {
  readonly conversation: ConversationRecord
  onDone(): void
  onTemplate(): void
}) {
  const { id, unreadCount, contact } = conversation
  const marking = useAction()
  const mark = () =>
    marking.run(async () => {
      await api.post(inWorkspace(`/conversations/${id}/read`))
      onDone()
    })
  const calls = `${hrefOf('calls')}?contact=${encodeURIComponent(contact.number)}`
  return (
    <>
      <LinkButton href={calls} icon="calls">
        Calls
      </LinkButton>
      {can('AGENT') && unreadCount > 0 && (
        <Button icon="check" isBusy={marking.isBusy} onClick={() => void mark()}>
          Mark read
        </Button>
      )}
      {can('AGENT') && (
        <Button
          look="primary"
          icon="send"
          disabled={contact.optedOut}
          title={contact.optedOut ? 'The contact has opted out' : undefined}
          onClick={onTemplate}
        >
          Send template
        </Button>
      )}
      {can('ADMIN') && <PrivacyMenu conversation={conversation} />}
      <Problem error={marking.error} />
    </>
  )
}
