import type { CallRecord } from '../../../../contract/records/call.ts'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import { inWorkspace } from '../../core/api.ts'
import { phone, plural, sentence } from '../../core/format.ts'
import { useFresh } from '../../core/fresh.ts'
import { useTopic } from '../../core/live.ts'
import { useList } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, withQuery } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Section } from '../../parts/facts.tsx'
import { contactHint } from '../../parts/filter.ts'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { ListActions } from '../../parts/list-actions.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable, Table } from '../../parts/table.tsx'
import { CallDrawer } from './call.tsx'
import { began, callColumns } from './columns.tsx'
import { EndCall } from './ending.tsx'
import { callStatusNames, isLive } from './words.ts'

const filterNames = ['direction', 'status', 'contact', 'numberId', 'since', 'until']

export function Page({ id }: PageProps) {
  const filters = filterValues(filterNames)
  const list = useList<CallRecord>(inWorkspace('/calls', filters))
  const numbers = useList<NumberRecord>(inWorkspace('/numbers', { limit: 200 })).rows ?? []
  const known = useTopic<{ readonly items: readonly CallRecord[] }>('calls')?.items
  useFresh(list, known)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const { query } = place.value
  const hrefOfCall = (row: CallRecord) => withQuery(hrefOf('calls', row.id), query)
  const columns = callColumns(numbers)
  return (
    <>
      <PageHeader
        title="Calls"
        intro="Who is on the line now, and every call before, with what came of it."
        actions={<ListActions list="calls" filters={filters} />}
      />
      <LiveCalls calls={known?.filter(isLive)} columns={columns} hrefOf={hrefOfCall} />
      <Section title="History">
        <Filters filters={filtersOf(numbers)} error={list.error} />
        <ListTable
          label="Calls"
          list={list}
          columns={[...columns, began]}
          hrefOf={hrefOfCall}
          isCurrent={(row) => row.id === id}
          empty={<Nothing isFiltered={isFiltered} />}
        />
      </Section>
      {id !== undefined && (
        <CallDrawer
          key={id}
          id={id}
          numbers={numbers}
          latest={known?.find((call) => call.id === id)}
          onClose={() => navigate(withQuery(hrefOf('calls'), query))}
        />
      )}
    </>
  )
}

const actions: Column<CallRecord> = {
  title: 'Actions',
  isTitleHidden: true,
  align: 'end',
  cell: (call) => <EndCall call={call} />,
}

function LiveCalls({
  calls,
  columns,
  hrefOf: hrefOfCall,
}: {
  readonly calls: readonly CallRecord[] | undefined
  readonly columns: readonly Column<CallRecord>[]
  hrefOf(call: CallRecord): string
}) {
  return (
    <Section
      title="Live now"
      actions={
        <span class="dim" role="status" aria-label="Live calls">
          {calls && plural(calls.length, 'call')}
        </span>
      }
    >
      {calls && calls.length > 0 ? (
        <Table
          label="Live calls"
          columns={can('AGENT') ? [...columns, actions] : columns}
          rows={calls}
          hrefOf={hrefOfCall}
        />
      ) : (
        <p class="quiet-line">{calls ? 'Nobody is on the line.' : 'Looking…'}</p>
      )}
    </Section>
  )
}

const filtersOf = (numbers: readonly NumberRecord[]): Filter[] => [
  {
    name: 'direction',
    label: 'Direction',
    options: [
      { value: 'INBOUND', label: 'Inbound' },
      { value: 'OUTBOUND', label: 'Outbound' },
    ],
  },
  {
    name: 'status',
    label: 'State',
    options: callStatusNames.map((status) => ({ value: status, label: sentence(status) })),
  },
  { name: 'contact', label: 'Contact', placeholder: 'Name or number', hint: contactHint },
  {
    name: 'numberId',
    label: 'Number',
    options: numbers.map(({ id, number }) => ({ value: id, label: phone(number) })),
  },
  { name: 'since', until: 'until', label: 'Time', isTime: true },
]

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <NoResults icon="calls" />
  ) : (
    <EmptyState
      icon="calls"
      title="No calls yet"
      action={<LinkButton href={hrefOf('numbers')}>Numbers</LinkButton>}
    >
      Forward the calls of a number to an endpoint that takes them; they appear here.
    </EmptyState>
  )
