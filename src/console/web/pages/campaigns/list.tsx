import type { ComponentChildren } from 'preact'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import { inWorkspace } from '../../core/api.ts'
import { count, sentence } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { ProgressCell, StateCell } from './progress.tsx'
import { statuses } from './words.tsx'

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'State',
    options: statuses.map((status) => ({ value: status, label: sentence(status) })),
  },
]

// A socket may watch twenty topics at most.
const mostWatched = 10

export function CampaignList() {
  const { status } = filterValues(['status'])
  const list = useList<CampaignRecord>(inWorkspace('/campaigns', { status }))
  const watched = new Set(
    list.rows
      ?.filter((row) => row.status === 'RUNNING' || row.status === 'SCHEDULED')
      .slice(0, mostWatched)
      .map(({ id }) => id),
  )
  const create = can('ADMIN') && (
    <LinkButton look="primary" icon="plus" href={hrefOf('campaigns', 'new')}>
      New campaign
    </LinkButton>
  )
  return (
    <>
      <PageHeader
        title="Campaigns"
        intro="One template to many customers, each of them once, at a rate that the number may send."
        actions={create}
      />
      {(status !== undefined || (list.rows?.length ?? 0) > 0) && (
        <Filters filters={filters} error={list.error} />
      )}
      <ListTable
        label="Campaigns"
        list={list}
        columns={columnsFor(watched)}
        hrefOf={({ id }) => hrefOf('campaigns', id)}
        empty={<Nothing isFiltered={status !== undefined} create={create} />}
      />
    </>
  )
}

const columnsFor = (watched: ReadonlySet<string>): readonly Column<CampaignRecord>[] => [
  {
    title: 'Name',
    cell: ({ name, template }) => (
      <span class="stack">
        <strong class="wrapping">{name}</strong>
        <small>{template.name}</small>
      </span>
    ),
  },
  { title: 'State', cell: (row) => <StateCell campaign={row} isWatched={watched.has(row.id)} /> },
  { title: 'Progress', cell: (row) => <ProgressCell campaign={row} isWatched={watched.has(row.id)} /> },
  { title: 'Failed', isMinor: true, align: 'end', cell: ({ counts }) => count(counts.failed) },
  { title: 'Replied', isMinor: true, align: 'end', cell: ({ counts }) => count(counts.replied) },
  { title: 'Created', isMinor: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

const Nothing = ({
  isFiltered,
  create,
}: {
  readonly isFiltered: boolean
  readonly create: ComponentChildren
}) =>
  isFiltered ? (
    <NoResults icon="campaigns" />
  ) : (
    <EmptyState icon="campaigns" title="No campaigns yet" action={create}>
      Choose an approved template, add recipients from a CSV file, see how long it will take, and start it.
    </EmptyState>
  )
