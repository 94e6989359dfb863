import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { inWorkspace } from '../../core/api.ts'
import { sentence } from '../../core/format.ts'
import { type List, useList } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState, ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { Ago } from '../../parts/time.tsx'
import { hrefOfConversation, nameOf } from './address.ts'

const LOOK_MS = 4_000
const filterNames = ['unread', 'numberId', 'contact']

interface Props {
  readonly currentId: string | undefined
  readonly numbers: readonly NumberRecord[]
}

export function ConversationList({ currentId, numbers }: Props) {
  const filters = filterValues(filterNames)
  const list = useList<ConversationRecord>(inWorkspace('/conversations', filters))
  useRepeat(LOOK_MS, list.refresh)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <section class="inbox-list" aria-label="Conversations">
      {/* If a conversation is open, its contact is the heading of the page. */}
      {currentId === undefined ? (
        <PageHeader title="Conversations" />
      ) : (
        <h2 class="inbox-title">Conversations</h2>
      )}
      <Filters filters={filtersOf(numbers)} />
      <Found list={list} currentId={currentId} isFiltered={isFiltered} />
    </section>
  )
}

const filtersOf = (numbers: readonly NumberRecord[]): Filter[] => [
  { name: 'unread', label: 'Show', options: [{ value: 'true', label: 'Unread' }] },
  {
    name: 'numberId',
    label: 'Number',
    options: numbers.map(({ id, number }) => ({ value: id, label: number })),
  },
  { name: 'contact', label: 'Contact', placeholder: '+15557000001' },
]

function Found({
  list,
  currentId,
  isFiltered,
}: {
  readonly list: List<ConversationRecord>
  readonly currentId: string | undefined
  readonly isFiltered: boolean
}) {
  const { rows, error, hasMore, isLoadingMore } = list
  if (!rows) return error ? <ErrorState error={error} onRetry={list.reload} /> : <Skeleton rows={8} />
  if (rows.length === 0) return <Nothing isFiltered={isFiltered} />
  return (
    <>
      <ul class="conversations">
        {rows.map((row) => (
          <Item key={row.id} conversation={row} isCurrent={row.id === currentId} />
        ))}
      </ul>
      <Problem error={error} />
      {hasMore && (
        <div class="load-more">
          <Button isBusy={isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  )
}

function Item({
  conversation: { id, contact, group, lastMessage, unreadCount },
  isCurrent,
}: {
  readonly conversation: ConversationRecord
  readonly isCurrent: boolean
}) {
  return (
    <li>
      <a
        class={unreadCount > 0 ? 'unread' : undefined}
        href={hrefOfConversation(id)}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span class="item-top">
          <strong>{nameOf({ contact, group })}</strong>
          {lastMessage && (
            <small>
              <Ago at={lastMessage.at} />
            </small>
          )}
        </span>
        <span class="item-bottom">
          <span class="excerpt">{lastMessage ? excerpt(lastMessage) : 'No messages yet'}</span>
          {contact.optedOut && <Badge tone="bad">Opted out</Badge>}
          {unreadCount > 0 && (
            <span class="unread-count">
              {unreadCount}
              <span class="visually-hidden"> unread</span>
            </span>
          )}
        </span>
      </a>
    </li>
  )
}

const excerpt = ({ direction, type, text }: NonNullable<ConversationRecord['lastMessage']>): string =>
  `${direction === 'OUTBOUND' ? 'You: ' : ''}${text || sentence(type)}`

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="conversations" title="Nothing fits these filters">
      Take a filter away to see the others.
    </EmptyState>
  ) : (
    <EmptyState icon="conversations" title="No conversations yet">
      One begins when a customer writes to a number of yours, or when you send the first message.
    </EmptyState>
  )
