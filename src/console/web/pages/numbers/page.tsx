import { useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { count, phone, sentence } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { AccountStates } from '../../parts/account-states.tsx'
import { Badge, Tag, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Routing } from './routing.tsx'
import { takersOf } from './takers.ts'

export function Page() {
  const list = useList<NumberRecord>(inWorkspace('/numbers'))
  const endpoints = useList<EndpointRecord>(inWorkspace('/endpoints'))
  const [edited, setEdited] = useState<NumberRecord>()
  const routing: Column<NumberRecord> = {
    title: 'Actions',
    isTitleHidden: true,
    align: 'end',
    cell: (record) => (
      <Button aria-label={`Set up ${phone(record.number)}`} onClick={() => setEdited(record)}>
        Set up
      </Button>
    ),
  }
  const columns = columnsFor(endpoints.rows)
  return (
    <>
      <PageHeader
        title="Numbers"
        intro="Your workspace’s numbers at the provider: where replies and calls go, and which one sends by default."
      />
      {endpoints.error && <ErrorState error={endpoints.error} onRetry={endpoints.reload} />}
      <ListTable
        label="Numbers"
        list={list}
        columns={can('ADMIN') ? [...columns, routing] : columns}
        empty={
          <EmptyState icon="numbers" title="No numbers yet">
            Add a number to the account at the provider; it appears here within a few minutes.
          </EmptyState>
        }
      />
      <AccountStates title="At the provider" query="ofTemplates=false" />
      {edited && endpoints.rows && (
        <Routing
          record={edited}
          endpoints={endpoints.rows}
          onClose={() => setEdited(undefined)}
          onDone={(changed) => {
            say(`${phone(changed.number)} is set up.`)
            setEdited(undefined)
            // A change of the default may also change the number that was the default before.
            if (changed.isDefault === edited.isDefault) list.replace(changed)
            else list.reload()
          }}
        />
      )}
    </>
  )
}

const qualities: Readonly<Record<string, Tone>> = { GREEN: 'good', YELLOW: 'warn', RED: 'bad' }

const columnsFor = (endpoints: readonly EndpointRecord[] | undefined): readonly Column<NumberRecord>[] => [
  {
    title: 'Number',
    cell: ({ number, displayName, isDefault }) => (
      <span class="stack">
        <strong class="inline">
          {phone(number)} {isDefault && <Tag>Default sender</Tag>}
        </strong>
        <small>{displayName}</small>
      </span>
    ),
  },
  {
    title: 'Replies go to',
    cell: ({ replyRouting }) =>
      replyRouting === null ? (
        <Everywhere endpoints={endpoints} />
      ) : (
        <a href={hrefOf('endpoints', replyRouting.endpointId)}>{replyRouting.endpointName}</a>
      ),
  },
  {
    title: 'Calls',
    cell: ({ forwardCalls }) =>
      forwardCalls ? <Badge tone="good">Forwarded</Badge> : <Badge>Not forwarded</Badge>,
  },
  {
    title: 'Quality',
    isMinor: true,
    cell: ({ qualityRating }) => (
      <Badge tone={qualities[qualityRating] ?? 'neutral'}>{sentence(qualityRating)}</Badge>
    ),
  },
  { title: 'Status', isMinor: true, cell: ({ status }) => sentence(status) },
  {
    title: 'Rate',
    isMinor: true,
    align: 'end',
    cell: ({ messagesPerSecond }) => <span class="logged">{count(messagesPerSecond)} a second</span>,
  },
]

/** A reply to a number without an endpoint of its own goes to all that take replies. */
function Everywhere({ endpoints }: { readonly endpoints: readonly EndpointRecord[] | undefined }) {
  if (!endpoints) return <span class="dim">…</span>
  const takers = takersOf(endpoints)
  if (takers.length === 0) return <span class="dim">No endpoint takes messages</span>
  return (
    <span class="stack">
      <span>{takers.length === 1 ? 'The one endpoint' : 'Every endpoint'} that takes messages</span>
      <small>{takers.map(({ name }) => name).join(', ')}</small>
    </span>
  )
}
