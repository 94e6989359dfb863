// One conversation: the oldest entry on top, the newest at the bottom, updated while it is open.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { inWorkspace } from '../../core/api.ts'
import { type List, useList, useResource } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { setQuery } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { sayError } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { later } from '../../parts/later.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { hrefOfConversation, wantedMessage } from './address.ts'
import { useAnswers } from './answers.tsx'
import { notIn } from './draft.ts'
import { DropPlace } from './drop-place.tsx'
import { isWaitedFor } from './erasing.ts'
import { Messages } from './messages.tsx'
import { forget, type Outgoing, outgoingOf } from './outbox.ts'
import { ReplyBox } from './reply.tsx'
import { Standing } from './standing.tsx'
import type { TemplateKeys } from './template-keys.ts'
import { Actions, useReading } from './thread-actions.tsx'
import { nameOf } from './words.ts'

/** Fetched behind the thread, which is what one came for. */
const DetailsPane = later(() => import('./pane.tsx').then((module) => module.DetailsPane), { isPage: true })
const SendTemplate = later(() => import('./send-template.tsx').then((module) => module.SendTemplate))

const LOOK_MS = 2_500
const SHOWN = 50

export function Thread({ id }: { readonly id: string }) {
  const conversation = useResource<ConversationRecord>(inWorkspace(`/conversations/${id}`))
  const thread = useThread(id)
  // One that was erased meanwhile is not shown on.
  const isErased = conversation.error?.code === 'NOT_FOUND' && !isWaitedFor(id)
  const data = isErased ? undefined : conversation.data
  const look = () => {
    conversation.reload()
    return thread.entries.refresh()
  }
  useRepeat(data && LOOK_MS, look)
  const reading = useReading(data, look)
  // Only what is shown has been read.
  useSent(outgoingOf(id), thread.entries.rows, () => {
    void look().then((isShown) => isShown && reading.markAfterReply())
  })
  const [isChoosing, setChoosing] = useState(false)
  const keys = useRef<TemplateKeys>(new Map())
  const chooseTemplate = () => setChoosing(true)
  const answers = useAnswers(data, look)
  // Once there, the box keeps its focus while other entries are read.
  const hasShown = useRef(false)
  hasShown.current ||= thread.entries.rows !== undefined
  const failure = data ? undefined : conversation.error
  return (
    <>
      <section class="thread" aria-label="Conversation">
        <PageHeader
          title={data ? nameOf(data) : 'Conversation'}
          back={{ href: hrefOfConversation(), title: 'Conversations' }}
          intro={data && <Standing conversation={data} />}
          actions={data && <Actions conversation={data} reading={reading} onTemplate={chooseTemplate} />}
        />
        {failure ? (
          <ErrorState error={failure} onRetry={conversation.reload} />
        ) : (
          <DropPlace conversation={data}>
            <Shown thread={thread} id={id} answers={answers} />
            {data && hasShown.current && can('AGENT') && (
              <ReplyBox key={id} conversation={data} onSend={toNewest} onTemplate={chooseTemplate} />
            )}
          </DropPlace>
        )}
      </section>
      {data && <DetailsPane conversation={data} />}
      {data && isChoosing && (
        <SendTemplate
          conversation={data}
          keys={keys.current}
          entries={thread.entries.rows ?? []}
          onClose={() => setChoosing(false)}
          onDone={() => {
            setChoosing(false)
            void look()
          }}
        />
      )}
    </>
  )
}

interface ThreadOf {
  readonly entries: List<ThreadEntry>
  /** The entry that the address names. */
  readonly wanted: string | undefined
  readonly around: string | undefined
}

function Shown({
  thread: { entries, wanted, around },
  id,
  answers,
}: {
  readonly thread: ThreadOf
  readonly id: string
  readonly answers: ReturnType<typeof useAnswers>
}) {
  if (!entries.rows)
    return entries.error ? (
      <ErrorState error={entries.error} onRetry={entries.reload} />
    ) : (
      <Skeleton rows={8} />
    )
  return (
    <>
      {around !== undefined && (
        <div class="thread-older">
          <span>These are older messages.</span>
          <Button onClick={toNewest}>Go to the newest</Button>
        </div>
      )}
      <Messages
        key={around}
        conversationId={id}
        list={entries}
        outgoing={around === undefined ? notIn(entries.rows, outgoingOf(id)) : []}
        wanted={wanted}
        isOlder={around !== undefined}
        answers={answers}
      />
    </>
  )
}

const toNewest = () => setQuery({ message: undefined })

/**
 * The newest entries with updates. If the address names one that is not among them, the entries around that one instead.
 */
function useThread(id: string): ThreadOf {
  const wanted = wantedMessage()
  const [around, setAround] = useState<string>()
  const entries = useList<ThreadEntry>(inWorkspace(`/conversations/${id}/thread`, { limit: SHOWN, around }))
  const { rows, error } = entries
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
  return { entries, wanted, around }
}

/** What was sent is shown as on its way until it is read among the messages. */
function useSent(
  outgoing: readonly Outgoing[],
  rows: readonly ThreadEntry[] | undefined,
  onSent: () => void,
): void {
  const sent = outgoing.filter(({ bodies }) => bodies.length === 0)
  const missing = notIn(rows ?? [], sent)
  const idsOf = (some: readonly Outgoing[]) => some.map(({ id }) => id)
  const arrived = idsOf(sent.filter((one) => !missing.includes(one)))
  useEffect(() => {
    if (sent.length > 0) onSent()
  }, [idsOf(sent).join(' ')])
  useEffect(() => {
    if (arrived.length > 0) forget(arrived)
  }, [arrived.join(' ')])
}
