import type { AuditRecord, MemberRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { useList, useResource } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, withQuery } from '../../core/router.ts'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Entry } from './entry.tsx'

export function Page({ id }: PageProps) {
  const values = filterValues(filterNames)
  const list = useList<AuditRecord>(inWorkspace('/audit', values))
  const members = useResource<{ readonly data: readonly MemberRecord[] }>(inWorkspace('/members'))
  const isFiltered = Object.values(values).some((value) => value !== undefined)
  const { query } = place.value
  const opened = list.rows?.find((row) => row.id === id)
  return (
    <>
      <PageHeader title="Audit log" intro="Who changed what in this workspace, when, and from where." />
      <Filters filters={filtersOf(members.data?.data ?? [])} />
      <ListTable
        label="Audit log"
        list={list}
        columns={columns}
        hrefOf={(row) => withQuery(hrefOf('audit', row.id), query)}
        isCurrent={(row) => row.id === id}
        empty={
          isFiltered ? (
            <NoResults icon="audit" />
          ) : (
            <EmptyState icon="audit" title="Nothing was changed yet">
              Every change of a key, an endpoint, a number or a member appears here.
            </EmptyState>
          )
        }
      />
      {opened && <Entry record={opened} onClose={() => navigate(withQuery(hrefOf('audit'), query))} />}
    </>
  )
}

const filterNames = ['action', 'operatorId', 'since', 'until']

/** The prefixes of actions: the kind of subject. */
const actions: Readonly<Record<string, string>> = {
  call: 'Calls',
  campaign: 'Campaigns',
  conversation: 'Conversations',
  delivery: 'Deliveries',
  endpoint: 'Endpoints',
  invitation: 'Invitations',
  key: 'Keys',
  media: 'Files',
  member: 'Members',
  message: 'Messages',
  number: 'Numbers',
  template: 'Templates',
  workspace: 'Workspace',
}

const filtersOf = (members: readonly MemberRecord[]): Filter[] => [
  {
    name: 'action',
    label: 'Actions on',
    options: Object.entries(actions).map(([value, label]) => ({ value, label })),
  },
  {
    name: 'operatorId',
    label: 'By',
    options: members.map(({ operatorId, name, email }) => ({
      value: operatorId,
      label: `${name} (${email})`,
    })),
  },
  { name: 'since', until: 'until', label: 'Time', isTime: true },
]

const columns: readonly Column<AuditRecord>[] = [
  { title: 'Action', cell: ({ action }) => <code>{action}</code> },
  { title: 'By', cell: (record) => <By record={record} /> },
  {
    title: 'Subject',
    isMinor: true,
    cell: ({ subjectId, subjectKind }) => <code class="dim">{subjectId ?? subjectKind}</code>,
  },
  { title: 'From', isMinor: true, cell: ({ ip }) => ip ?? <span class="dim">—</span> },
  { title: 'When', cell: ({ at }) => <Ago at={at} /> },
]

const By = ({ record: { operator, key } }: { readonly record: AuditRecord }) => {
  if (operator !== null) return <span title={operator.email}>{operator.name}</span>
  if (key !== null) return <span title={key.prefix}>Key {key.name}</span>
  return <span class="dim">The system</span>
}
