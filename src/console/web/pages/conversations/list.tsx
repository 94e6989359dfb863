// The list of the inbox: search, what to show, and the conversations. It holds still while somebody points at it.
import { useRef, useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { isOfFilter } from '../../core/list-reader.ts'
import { type List, useList } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { Button } from '../../parts/button.tsx'
import { filterValues } from '../../parts/filter.ts'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState, ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { Item } from './item.tsx'
import { useReturn } from './keyboard.ts'
import { ListFilters } from './list-filters.tsx'
import { useNews } from './news.ts'
import { heldRows } from './rules.ts'

const LOOK_MS = 4_000
const filterNames = ['unread', 'windowOpen', 'numberId', 'contact', 'order']
/** Fewer than this, and more are loaded at once: a page of open windows may be short. */
const ENOUGH = 20

/** What moves a conversation: activity, and being read. */
const placeOf = ({ id, updatedAt, unreadCount }: ConversationRecord): string =>
  `${id} ${updatedAt} ${unreadCount > 0}`

interface Props {
  readonly currentId: string | undefined
  readonly numbers: readonly NumberRecord[]
}

export function ConversationList({ currentId, numbers }: Props) {
  const { order, ...filters } = filterValues(filterNames)
  const list = useList<ConversationRecord>(
    inWorkspace('/conversations', { ...filters, order: order ?? 'unread' }),
    placeOf,
  )
  useRepeat(LOOK_MS, () => refill(list))
  useNews(list.refresh)
  useReturn(currentId)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <section class="inbox-list" aria-label="Conversations">
      <div class="inbox-top">
        {/* If a conversation is open, its contact is the heading of the page. */}
        {currentId === undefined ? (
          <PageHeader title="Conversations" />
        ) : (
          <h2 class="inbox-title">Conversations</h2>
        )}
        <ListFilters numbers={numbers} error={list.error?.of('contact')} />
      </div>
      <Found key={JSON.stringify(filters)} list={list} currentId={currentId} isFiltered={isFiltered} />
    </section>
  )
}

/** Reads again, or goes on reading where a page was short. */
function refill(list: List<ConversationRecord>): unknown {
  if (list.hasMore && (list.rows?.length ?? 0) < ENOUGH) return list.loadMore()
  return list.refresh()
}

interface FoundProps {
  readonly list: List<ConversationRecord>
  readonly currentId: string | undefined
  readonly isFiltered: boolean
}

function Found({ list, currentId, isFiltered }: FoundProps) {
  const { rows, error, hasMore, isLoadingMore } = list
  const { held, waiting, hold, release } = useHeld(rows)
  if (!rows && error?.of('contact')) return null
  if (!rows) return error ? <ErrorState error={error} onRetry={list.reload} /> : <Skeleton rows={8} />
  if (rows.length === 0 && !hasMore) return <Nothing isFiltered={isFiltered} />
  return (
    <div class="inbox-shown">
      {waiting > 0 && (
        <button type="button" class="button inbox-waiting" onClick={release}>
          {plural(waiting, 'new conversation')}
        </button>
      )}
      <div class="inbox-rows" onPointerEnter={hold} onPointerLeave={release}>
        <ul class="conversations">
          {held.map((row) => (
            <Item key={row.id} conversation={row} isCurrent={row.id === currentId} />
          ))}
        </ul>
        <Problem error={error && !isOfFilter(error) ? error : undefined} />
        {hasMore && (
          <div class="load-more">
            <Button isBusy={isLoadingMore} onClick={list.loadMore}>
              Load more
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}

/** The order in which the rows stood when the pointer came. A finger does not point, it scrolls. */
function useHeld(rows: readonly ConversationRecord[] | undefined) {
  const [isHeld, setHeld] = useState(false)
  const shown = useRef<readonly ConversationRecord[]>(undefined)
  const { rows: held, waiting } = heldRows(isHeld ? shown.current : undefined, rows ?? [])
  shown.current = held
  return {
    held,
    waiting,
    hold: ({ pointerType }: PointerEvent) => setHeld(pointerType === 'mouse'),
    release: () => {
      shown.current = undefined
      setHeld(false)
    },
  }
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <NoResults icon="conversations" />
  ) : (
    <EmptyState icon="conversations" title="No conversations yet">
      One begins when a customer writes to a number of yours, or when you send the first message.
    </EmptyState>
  )
