import type { AuditWord, MemberRecord, ToldAuditRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { zone } from '../../core/format.ts'
import { useList, useResource } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, withQuery } from '../../core/router.ts'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { ListActions } from '../../parts/list-actions.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago, Logged } from '../../parts/time.tsx'
import { Entry } from './entry.tsx'
import { capital, reasonOf, shownName } from './words.ts'

const filterNames = ['action', 'operatorId', 'since', 'until']

export function Page({ id }: PageProps) {
  const values = filterValues(filterNames)
  const list = useList<ToldAuditRecord>(inWorkspace('/audit', values))
  const members = useResource<{ readonly data: readonly MemberRecord[] }>(inWorkspace('/members'))
  const words = useResource<{ readonly data: readonly AuditWord[] }>(inWorkspace('/audit/actions'))
  const { query } = place.value
  return (
    <>
      <PageHeader
        title="Audit log"
        intro="Who changed what, and how members signed in: when, and from where."
        actions={<ListActions list="audit" filters={values} onRefresh={list.reload} />}
      />
      <Filters filters={filtersOf(members.data?.data ?? [], words.data?.data ?? [])} error={list.error} />
      <ListTable
        label="Audit log"
        list={list}
        columns={columns}
        hrefOf={(row) => withQuery(hrefOf('audit', row.id), query)}
        isCurrent={(row) => row.id === id}
        empty={<Nothing isFiltered={Object.values(values).some(Boolean)} />}
      />
      {id !== undefined && (
        <Entry
          key={id}
          id={id}
          listed={list.rows?.find((row) => row.id === id)}
          onClose={() => navigate(withQuery(hrefOf('audit'), query))}
        />
      )}
    </>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <NoResults icon="audit" />
  ) : (
    <EmptyState icon="audit" title="Nothing was changed yet">
      Every change of a key, an endpoint, a number or a member appears here, and every sign-in of a member.
    </EmptyState>
  )

const filtersOf = (members: readonly MemberRecord[], words: readonly AuditWord[]): Filter[] => [
  {
    name: 'action',
    label: 'Action',
    options: words.map(({ action, group, title }) => ({ value: action, label: `${group}: ${title}` })),
  },
  {
    name: 'operatorId',
    label: 'By',
    options: members.map(({ operatorId, name, email }) => ({
      value: operatorId,
      label: `${name} (${email})`,
    })),
  },
  { name: 'since', label: 'Time', isTime: true, until: 'until' },
]

const columns: readonly Column<ToldAuditRecord>[] = [
  { title: 'What', cell: (record) => <Done record={record} /> },
  { title: 'By', cell: (record) => <By record={record} /> },
  { title: 'From', isMinor: true, cell: (record) => <From record={record} /> },
  {
    title: `Time, ${zone()}`,
    cell: ({ at }) => (
      <span class="stack">
        <Logged at={at} />
        <small>
          <Ago at={at} />
        </small>
      </span>
    ),
  },
]

const Done = ({ record }: { readonly record: ToldAuditRecord }) => {
  const reason = reasonOf(record)
  return (
    <span class="stack">
      <span class="done">
        {record.did}
        {record.subjectName !== null && (
          <>
            {' '}
            <strong>{shownName(record.subjectName)}</strong>
          </>
        )}
      </span>
      {reason !== undefined && <small>{reason}</small>}
    </span>
  )
}

const By = ({ record: { operator, key } }: { readonly record: ToldAuditRecord }) => {
  if (operator !== null)
    return (
      <span class="stack">
        {operator.name}
        {operator.name !== operator.email && <small>{operator.email}</small>}
      </span>
    )
  if (key !== null) return <span title={key.prefix}>API key {key.name}</span>
  return <span class="dim">—</span>
}

const From = ({ record: { ip, device } }: { readonly record: ToldAuditRecord }) =>
  ip === null ? (
    <span class="dim">—</span>
  ) : (
    <span class="stack">
      {ip}
      {device !== null && <small>{capital(device)}</small>}
    </span>
  )
