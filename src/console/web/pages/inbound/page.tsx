import type { UnappliedElementRecord } from '../../../../contract/inbound-elements.ts'
import { inWorkspace } from '../../core/api.ts'
import { phone } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, withQuery } from '../../core/router.ts'
import { Badge } from '../../parts/badge.tsx'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { ElementDrawer } from './element.tsx'
import { reasons } from './reasons.ts'

export function Page({ id }: PageProps) {
  const values = filterValues(['reason', 'since', 'until'])
  const list = useList<UnappliedElementRecord>(inWorkspace('/inbound', values))
  const isFiltered = Object.values(values).some((value) => value !== undefined)
  const { query } = place.value
  return (
    <>
      <PageHeader
        title="Not understood"
        intro="What the provider sent and Switchboard could not use. It is kept as it came, and can be applied after an upgrade."
      />
      <Filters filters={filters} error={list.error} />
      <ListTable
        label="Not understood"
        list={list}
        columns={columns}
        hrefOf={(row) => withQuery(hrefOf('inbound', row.id), query)}
        isCurrent={(row) => row.id === id}
        empty={
          isFiltered ? (
            <NoResults icon="warning" />
          ) : (
            <EmptyState icon="check" title="Everything was understood">
              What the provider sends and Switchboard cannot use appears here.
            </EmptyState>
          )
        }
      />
      {id !== undefined && (
        <ElementDrawer key={id} id={id} onClose={() => navigate(withQuery(hrefOf('inbound'), query))} />
      )}
    </>
  )
}

const filters: Filter[] = [
  {
    name: 'reason',
    label: 'Reason',
    options: Object.entries(reasons).map(([value, [label]]) => ({ value, label })),
  },
  { name: 'since', until: 'until', label: 'Time', isTime: true },
]

const columns: readonly Column<UnappliedElementRecord>[] = [
  { title: 'Reason', cell: ({ reason }) => reasons[reason][0] },
  { title: 'What', cell: ({ field, part }) => <code>{part ?? field ?? 'body'}</code> },
  {
    title: 'Number',
    isMinor: true,
    cell: ({ number }) => (number === null ? <span class="dim">—</span> : phone(number)),
  },
  {
    title: 'State',
    cell: ({ appliedAt }) =>
      appliedAt === null ? <Badge tone="warn">Kept</Badge> : <Badge tone="good">Applied since</Badge>,
  },
  { title: 'Came', cell: ({ at }) => <Ago at={at} /> },
]
