// The messages and calls between a handset and one business number, oldest first.
import { useEffect, useRef } from 'preact/hooks'
import type { CallRow, HandsetView, InboxItem, OutboxItem } from '../views.ts'
import { CallEntry, Received, Written } from './bubbles.tsx'
import type { Act } from './control.ts'

type Entry =
  | { readonly kind: 'received'; readonly at: string; readonly item: InboxItem }
  | { readonly kind: 'written'; readonly at: string; readonly item: OutboxItem }
  | { readonly kind: 'call'; readonly at: string; readonly item: CallRow }

/** Pixels. Within this distance from the end, the chat follows new entries. */
const NEAR = 80

export function Chat({
  handset,
  number,
  act,
}: {
  readonly handset: HandsetView
  readonly number: string
  readonly act: Act
}) {
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const entries = entriesOf(handset, number)
  const tail = JSON.stringify(entries.at(-1))
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo(0, list.current.scrollHeight)
  }, [tail, entries.length])
  return (
    <div
      ref={list}
      class="chat"
      role="log"
      aria-label="Chat"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable area.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR
      }}
    >
      {entries.length === 0 && (
        <p class="nothing">
          Nothing yet. Send a message to this number over the API, or write to the business below.
        </p>
      )}
      {entries.map((entry) => {
        if (entry.kind === 'received')
          return <Received key={entry.item.id} item={entry.item} handset={handset} act={act} />
        if (entry.kind === 'written')
          return <Written key={entry.item.id} item={entry.item} handset={handset} act={act} />
        return <CallEntry key={entry.item.wacid} call={entry.item} />
      })}
    </div>
  )
}

function entriesOf({ inbox, outbox, calls }: HandsetView, number: string): Entry[] {
  const entries: Entry[] = [
    ...inbox.map((item) => ({ kind: 'received' as const, at: item.at, item })),
    ...outbox
      .filter(({ type }) => !['reaction', 'edit', 'revoke'].includes(type))
      .map((item) => ({ kind: 'written' as const, at: item.at, item })),
    ...calls
      .filter(({ state }) => state === 'ended')
      .map((item) => ({ kind: 'call' as const, at: item.at, item })),
  ]
  return entries
    .filter(({ item }) => item.phoneNumberId === number)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}
