// The messages and calls of a thread. At its end, the view follows new ones; further up, it stays in place.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import { day, now } from '../../core/format.ts'
import type { List } from '../../core/load.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/states.tsx'
import type { Answers } from './answers.tsx'
import { Bubble } from './bubble.tsx'
import { CallEntry } from './call-entry.tsx'
import type { Outgoing } from './outbox.ts'
import { OutgoingBubble } from './outgoing-bubble.tsx'
import { useReadingPlace } from './reading-place.ts'
import { dayTitle, firstNew } from './rules.ts'
import { lastSeen, markSeen } from './seen.ts'

interface Props {
  readonly conversationId: string
  readonly list: List<ThreadEntry>
  readonly outgoing: readonly Outgoing[]
  /** The id of the entry to scroll to and to highlight. */
  readonly wanted: string | undefined
  /** The newest are not among them. */
  readonly isOlder: boolean
  readonly answers: Answers | undefined
}

export function Messages({ conversationId, list, outgoing, wanted, isOlder, answers }: Props) {
  const entries = (list.rows ?? []).toReversed()
  const line = useNewLine(conversationId, entries, isOlder)
  const { frame, isAway, hasNews, toEnd, onScroll } = useReadingPlace({
    newest: outgoing.at(-1)?.id ?? entries.at(-1)?.id,
    oldest: entries[0]?.id,
    ownNewest: outgoing.at(-1)?.id,
    wanted,
  })
  return (
    <div class="thread-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section with a label would be the same region. */}
      <div ref={frame} class="messages" role="region" aria-label="Messages" tabIndex={0} onScroll={onScroll}>
        {list.hasMore && (
          <div class="load-more">
            <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
              Load older messages
            </Button>
          </div>
        )}
        <Problem error={list.error} />
        {entries.length === 0 && outgoing.length === 0 && (
          <p class="dim no-messages">Nothing was said yet.</p>
        )}
        <ol>
          {entries.map((entry, index) => (
            <Entry
              key={entry.id}
              entry={entry}
              before={entries[index - 1]}
              isWanted={entry.id === wanted}
              isFirstNew={entry.id === line}
              answers={answers}
            />
          ))}
          {outgoing.map((one) => (
            <OutgoingBubble key={one.id} outgoing={one} />
          ))}
        </ol>
      </div>
      {isAway && (
        <button type="button" class={hasNews ? 'button to-end news' : 'button to-end'} onClick={toEnd}>
          <Icon name="down" />
          {hasNews ? 'New messages below' : 'Jump to latest'}
        </button>
      )}
      <Announced newest={entries.at(-1)} />
    </div>
  )
}

interface EntryProps {
  readonly entry: ThreadEntry
  readonly before: ThreadEntry | undefined
  readonly isWanted: boolean
  readonly isFirstNew: boolean
  readonly answers: Answers | undefined
}

function Entry({ entry, before, isWanted, isFirstNew, answers }: EntryProps) {
  const own = dayTitle(timeOf(entry), now.value, day)
  const isNewDay = !before || dayTitle(timeOf(before), now.value, day) !== own
  return (
    <>
      {isNewDay && (
        <li class="day">
          <span>{own}</span>
        </li>
      )}
      {isFirstNew && (
        <li class="new-line">
          <span>New since you looked</span>
        </li>
      )}
      {entry.kind === 'call' ? (
        <CallEntry call={entry.call} isWanted={isWanted} />
      ) : (
        <Bubble message={entry.message} campaign={entry.campaign} isWanted={isWanted} answers={answers} />
      )}
    </>
  )
}

const timeOf = (entry: ThreadEntry): string =>
  entry.kind === 'call' ? entry.call.createdAt : entry.message.createdAt

const factsOf = (entry: ThreadEntry) => {
  const { direction, status } = entry.kind === 'call' ? entry.call : entry.message
  return { id: entry.id, isInbound: direction === 'INBOUND', isUnread: status === 'RECEIVED' }
}

/** Above which entry the line stands. It stays while the thread is open, and moves when somebody comes back to the tab. */
function useNewLine(
  conversationId: string,
  entries: readonly ThreadEntry[],
  isOlder: boolean,
): string | undefined {
  const [line, setLine] = useState(() => firstNew(entries.map(factsOf), lastSeen(conversationId)))
  const leftAt = useRef<string>(undefined)
  const newest = entries.at(-1)?.id
  useEffect(() => {
    const onChange = () => {
      if (document.visibilityState === 'hidden') leftAt.current = newest
    }
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [newest])
  useEffect(() => {
    if (newest === undefined || isOlder || document.visibilityState === 'hidden') return
    markSeen(conversationId, newest)
    const next = leftAt.current && firstNew(entries.map(factsOf), leftAt.current)
    if (next) setLine(next)
    leftAt.current = undefined
  }, [newest])
  return line
}

/** Announces new customer messages to screen readers while the thread is open. */
function Announced({ newest }: { readonly newest: ThreadEntry | undefined }) {
  const atFirst = useRef(newest?.id)
  const message = newest?.kind === 'message' ? newest.message : undefined
  const isNew = message && message.id !== atFirst.current && message.direction === 'INBOUND'
  return (
    <p class="visually-hidden" role="status">
      {isNew && `New message: ${message.text}`}
    </p>
  )
}
