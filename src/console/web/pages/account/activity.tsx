import type { AccountAuditRecord } from '../../../../contract/records/console.ts'
import { useList } from '../../core/load.ts'
import { Section } from '../../parts/facts.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { reasonOf } from '../audit/words.ts'

/** Sign-ins and changes of this account, or of all accounts for whoever runs the installation. */
export function Activity({ isOfAll }: { readonly isOfAll: boolean }) {
  const list = useList<AccountAuditRecord>(isOfAll ? '/accounts/audit' : '/me/audit')
  const title = isOfAll ? 'Activity of all accounts' : 'Activity'
  return (
    <Section title={title}>
      <ListTable
        label={title}
        list={list}
        columns={isOfAll ? [...columns, account] : columns}
        empty={
          <EmptyState icon="audit" title="Nothing happened yet">
            Sign-ins and changes of an account appear here.
          </EmptyState>
        }
      />
    </Section>
  )
}

function eventOf(record: AccountAuditRecord): string {
  const reason = reasonOf(record)
  return reason === undefined ? record.did : `${record.did}: ${reason}`
}

const columns: readonly Column<AccountAuditRecord>[] = [
  { title: 'Event', cell: eventOf },
  {
    title: 'Device',
    isMinor: true,
    cell: ({ device, userAgent }) => <span title={userAgent ?? undefined}>{device ?? '—'}</span>,
  },
  { title: 'Address', isMinor: true, cell: ({ ip }) => ip ?? '—' },
  { title: 'When', cell: ({ at }) => <Ago at={at} /> },
]

const account: Column<AccountAuditRecord> = {
  title: 'Account',
  cell: ({ operator, subjectId }) =>
    operator ? <span title={operator.email}>{operator.name}</span> : (subjectId ?? 'No account'),
}
