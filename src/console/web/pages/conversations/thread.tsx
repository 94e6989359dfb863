// One conversation as it is read: oldest above, newest below, kept up to date while it is open.
import { useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { api, inWorkspace } from '../../foundation/api.ts'
import { useAction, useList, useResource } from '../../foundation/load.ts'
import { useRepeat } from '../../foundation/repeat.ts'
import { hrefOf, place, withQuery } from '../../foundation/router.ts'
import { can } from '../../foundation/session.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { Messages } from './messages.tsx'
import { SendTemplate } from './send-template.tsx'
import { Standing } from './standing.tsx'

const LOOK_MS = 2_500
const SHOWN = 50

export function Thread({ id }: { readonly id: string }) {
  const conversation = useResource<ConversationRecord>(inWorkspace(`/conversations/${id}`))
  const messages = useList<MessageRecord>(inWorkspace(`/conversations/${id}/messages`, { limit: SHOWN }))
  const { data } = conversation
  const look = () => {
    conversation.reload()
    return messages.refresh()
  }
  useRepeat(data && LOOK_MS, look)
  const back = { href: withQuery(hrefOf('conversations'), place.value.query), title: 'Conversations' }
  const failure = !data && conversation.error
  return (
    <section class="thread" aria-label="Conversation">
      <PageHeader
        title={data ? (data.contact.name ?? data.contact.number) : 'Conversation'}
        back={back}
        intro={data && <Standing conversation={data} />}
        actions={data && <Actions conversation={data} onDone={() => void look()} />}
      />
      {failure && <ErrorState error={failure} onRetry={conversation.reload} />}
      {!failure && !messages.rows && !messages.error && <Skeleton rows={8} />}
      {!failure && !messages.rows && messages.error && (
        <ErrorState error={messages.error} onRetry={messages.reload} />
      )}
      {!failure && messages.rows && <Messages list={messages} />}
    </section>
  )
}

function Actions({ conversation, onDone }: { readonly conversation: ConversationRecord; onDone(): void }) {
  const [isSending, setSending] = useState(false)
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
          onClick={() => setSending(true)}
        >
          Send template
        </Button>
      )}
      <Problem error={marking.error} />
      {isSending && (
        <SendTemplate
          conversation={conversation}
          onClose={() => setSending(false)}
          onDone={() => {
            setSending(false)
            onDone()
          }}
        />
      )}
    </>
  )
}
