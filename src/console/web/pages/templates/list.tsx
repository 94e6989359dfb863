import type { TemplateRecord } from '../../../../contract/records/catalog.ts'
import { inWorkspace } from '../../core/api.ts'
import { sentence } from '../../core/format.ts'
import { useList, useWatch } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { statuses, TemplateState } from './state.tsx'

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: statuses.map((status) => ({ value: status, label: sentence(status) })),
  },
  { name: 'language', label: 'Language', placeholder: 'en_US' },
  { name: 'name', label: 'Name contains', placeholder: 'order' },
]

export function TemplateList() {
  const values = filterValues(filters.map(({ name }) => name))
  const list = useList<TemplateRecord>(inWorkspace('/templates', values))
  const isFiltered = Object.values(values).some((value) => value !== undefined)
  useWatch(list.rows?.some(({ status }) => status === 'PENDING') === true, list.refresh)
  const create = can('ADMIN') && (
    <LinkButton look="primary" icon="plus" href={hrefOf('templates', 'new')}>
      New template
    </LinkButton>
  )
  return (
    <>
      <PageHeader
        title="Templates"
        intro="Texts that the provider has approved. Only with one may you write to a customer first."
        actions={create}
      />
      <Filters filters={filters} error={list.error} />
      <ListTable
        label="Templates"
        list={list}
        columns={columns}
        hrefOf={({ id }) => hrefOf('templates', id)}
        empty={
          isFiltered ? (
            <NoResults icon="templates" />
          ) : (
            <EmptyState icon="templates" title="No templates yet" action={create}>
              Submit one here, or at the provider: those of your account appear within a few minutes.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<TemplateRecord>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Status', cell: ({ status }) => <TemplateState status={status} /> },
  { title: 'Language', cell: ({ language }) => <code>{language}</code> },
  { title: 'Category', isMinor: true, cell: ({ category }) => sentence(category) },
  {
    title: 'Variables',
    isMinor: true,
    cell: ({ variables }) =>
      variables.length === 0 ? (
        <span class="dim">None</span>
      ) : (
        <span class="dim">{[...new Set(variables.map(({ name }) => name))].join(', ')}</span>
      ),
  },
  { title: 'Changed', isMinor: true, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
]
