import { useEffect } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { inWorkspace } from '../../core/api.ts'
import { useList, useResource } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { navigate } from '../../core/router.ts'
import { later } from '../../parts/later.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../parts/states.tsx'
import { hrefOfMessage, isDetailed } from './address.ts'
import { useInboxKeys } from './keyboard.ts'
import { ConversationList } from './list.tsx'

const Thread = later(() => import('./thread.tsx').then((module) => module.Thread), { isPage: true })

export function Page({ id }: PageProps) {
  const numbers = useList<NumberRecord>(inWorkspace('/numbers', { limit: 200 })).rows ?? []
  useInboxKeys(id)
  const opened = id === undefined ? '' : ' opened'
  return (
    <div class={`inbox${opened}${opened && isDetailed() ? ' detailed' : ''}`}>
      <ConversationList currentId={id} numbers={numbers} />
      <Opened id={id} />
    </div>
  )
}

function Opened({ id }: PageProps) {
  if (id?.startsWith('msg_')) return <MessageSought id={id} />
  if (id !== undefined) return <Thread key={id} id={id} />
  return (
    <div class="thread nothing">
      <EmptyState icon="conversations" title="Choose a conversation">
        <kbd>J</kbd> and <kbd>K</kbd> go through the list, <kbd>Enter</kbd> opens, <kbd>R</kbd> replies,{' '}
        <kbd>U</kbd> marks as read, <kbd>Esc</kbd> goes back.
      </EmptyState>
    </div>
  )
}

/** Redirects the address of a message to its place in its conversation. */
function MessageSought({ id }: { readonly id: string }) {
  const { data, error, reload } = useResource<MessageRecord>(inWorkspace(`/messages/${id}`))
  useEffect(() => {
    if (data) navigate(hrefOfMessage(data.conversationId, id), { replace: true })
  }, [data])
  return (
    <div class="thread nothing">
      {error ? <ErrorState error={error} onRetry={reload} /> : <Skeleton rows={8} />}
    </div>
  )
}
