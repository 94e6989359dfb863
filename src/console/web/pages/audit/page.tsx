import type { AuditRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../foundation/api.ts'
import { exact } from '../../foundation/format.ts'
import { useList } from '../../foundation/load.ts'
import { hrefOf, navigate } from '../../foundation/router.ts'
import type { PageProps } from '../../pages.ts'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { changesOf } from './changes.ts'

export function Page({ id }: PageProps) {
  const list = useList<AuditRecord>(inWorkspace('/audit'))
  const opened = list.rows?.find((row) => row.id === id)
  return (
    <>
      <PageHeader title="Audit log" intro="Who changed what in this workspace, when, and from where." />
      <ListTable
        label="Audit log"
        list={list}
        columns={columns}
        hrefOf={(row) => hrefOf('audit', row.id)}
        isCurrent={(row) => row.id === id}
        empty={
          <EmptyState icon="audit" title="Nothing was changed yet">
            Every change of a key, an endpoint, a number or a member appears here.
          </EmptyState>
        }
      />
      {opened && <Entry record={opened} onClose={() => navigate(hrefOf('audit'))} />}
    </>
  )
}

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

const By = ({ record: { operator } }: { readonly record: AuditRecord }) =>
  operator === null ? (
    <span class="dim">The system</span>
  ) : (
    <span title={operator.email}>{operator.name}</span>
  )

const Entry = ({ record, onClose }: { readonly record: AuditRecord; onClose(): void }) => (
  <Drawer title={record.action} onClose={onClose}>
    <DialogBody>
      <Facts
        facts={[
          ['When', exact(record.at)],
          [
            'By',
            record.operator === null ? 'The system' : `${record.operator.name} (${record.operator.email})`,
          ],
          ['From', record.ip ?? '—'],
          ['Subject', <code key="subject">{record.subjectId ?? record.subjectKind}</code>],
        ]}
      />
      <Changes record={record} />
    </DialogBody>
  </Drawer>
)

function Changes({ record }: { readonly record: AuditRecord }) {
  const changes = changesOf(record.before, record.after)
  if (changes.length === 0) return <p class="dim">No values were recorded.</p>
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{before}</td>
            <td>{after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
