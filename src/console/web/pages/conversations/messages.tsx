// The messages of a thread. At its end, the view follows new messages; further up, it stays in place.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { day } from '../../core/format.ts'
import type { List } from '../../core/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/states.tsx'
import type { Answers } from './answers.tsx'
import { Bubble } from './bubble.tsx'

const NEAR_END = 60

export function Messages({
  list,
  wanted,
  answers,
}: {
  readonly answers: Answers | undefined
  readonly list: List<MessageRecord>
  /** The id of the message to scroll to and to highlight. */
  readonly wanted: string | undefined
}) {
  const rows = list.rows ?? []
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const { frame, isBehind, toEnd, onScroll } = useReadingPlace({ newest, oldest, wanted })
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
        {rows.length === 0 && <p class="dim no-messages">Nothing was said yet.</p>}
        <ol>
          {rows.toReversed().map((message, index, all) => (
            <Bubble
              key={message.id}
              message={message}
              isWanted={message.id === wanted}
              day={newDay(message, all[index - 1])}
              answers={answers}
            />
          ))}
        </ol>
      </div>
      {isBehind && (
        <button type="button" class="button to-end" onClick={toEnd}>
          New messages below
        </button>
      )}
      <Announced newest={newest} />
    </div>
  )
}

const newDay = (message: MessageRecord, before: MessageRecord | undefined): string | undefined => {
  const own = day(message.createdAt)
  return before && day(before.createdAt) === own ? undefined : own
}

interface Ends {
  readonly newest: MessageRecord | undefined
  readonly oldest: MessageRecord | undefined
  readonly wanted: string | undefined
}

function useReadingPlace({ newest, oldest, wanted }: Ends) {
  const frame = useRef<HTMLDivElement>(null)
  const [isBehind, setBehind] = useState(false)
  const known = useRef<{ isAtEnd: boolean; height: number; newest?: string; oldest?: string }>({
    isAtEnd: true,
    height: 0,
  })
  const toEnd = () => frame.current?.scrollTo(0, frame.current.scrollHeight)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const before = known.current
    const { scrollHeight: height } = element
    if (before.isAtEnd) toEnd()
    else if (before.oldest !== oldest?.id) element.scrollTop += height - before.height
    else if (before.newest !== newest?.id) setBehind(true)
    known.current = {
      isAtEnd: before.isAtEnd,
      height,
      ...(newest && { newest: newest.id }),
      ...(oldest && { oldest: oldest.id }),
    }
  })
  useLayoutEffect(() => {
    const element = frame.current
    const bubble = element?.querySelector('[aria-current]')
    if (!element || !bubble) return
    known.current.isAtEnd = false
    // Centre the message without scrolling anything outside the frame, as scrollIntoView would.
    const [outer, inner] = [element.getBoundingClientRect(), bubble.getBoundingClientRect()]
    element.scrollTop += inner.top + inner.height / 2 - (outer.top + outer.height / 2)
  }, [wanted])
  // A narrower window or an opened status must not move the end out of view.
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const resized = new ResizeObserver(() => {
      if (known.current.isAtEnd) toEnd()
    })
    resized.observe(element)
    return () => resized.disconnect()
  }, [])
  const onScroll = () => {
    const element = frame.current
    if (!element) return
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END
    known.current.isAtEnd = isAtEnd
    if (isAtEnd) setBehind(false)
  }
  return { frame, isBehind, toEnd, onScroll }
}

/** Announces new customer messages to screen readers while the thread is open. */
function Announced({ newest }: { readonly newest: MessageRecord | undefined }) {
  const atFirst = useRef(newest?.id)
  const isNew = newest && newest.id !== atFirst.current && newest.direction === 'INBOUND'
  return (
    <p class="visually-hidden" role="status">
      {isNew && `New message: ${newest.text}`}
    </p>
  )
}
