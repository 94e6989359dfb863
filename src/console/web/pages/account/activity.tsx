import type { AuditRecord } from '../../../../contract/records/console.ts'
import { useList } from '../../core/load.ts'
import { Section } from '../../parts/facts.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

/** Sign-ins and changes of this account, or of all accounts for whoever runs the installation. */
export function Activity({ isOfAll }: { readonly isOfAll: boolean }) {
  const list = useList<AuditRecord>(isOfAll ? '/accounts/audit' : '/me/audit')
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

const titles: Readonly<Record<string, string>> = {
  'session.opened': 'Signed in',
  'session.refused': 'Sign-in refused',
  'session.confirmed': 'Password confirmed',
  'session.confirmation_refused': 'Confirmation refused',
  'session.ended': 'Session ended',
  'operator.created': 'Account created',
  'operator.password_changed': 'Password changed',
  'operator.totp_added': 'Second factor on',
  'operator.totp_removed': 'Second factor off',
  'operator.recovery_codes_replaced': 'New recovery codes',
  'operator.recovery_code_used': 'Recovery code used',
}

const reasons: Readonly<Record<string, string>> = {
  PASSWORD: 'wrong password',
  FACTOR: 'wrong second factor',
  FACTOR_MISSING: 'without the second factor',
  BLOCKED: 'too many failures',
}

function eventOf({ action, after }: AuditRecord): string {
  const reason = reasons[(after as { readonly reason?: string } | null)?.reason ?? '']
  const title = titles[action] ?? action
  return reason === undefined ? title : `${title}: ${reason}`
}

const columns: readonly Column<AuditRecord>[] = [
  { title: 'Event', cell: eventOf },
  {
    title: 'Device',
    isMinor: true,
    cell: ({ device, userAgent }) => <span title={userAgent ?? undefined}>{device ?? '—'}</span>,
  },
  { title: 'Address', isMinor: true, cell: ({ ip }) => ip ?? '—' },
  { title: 'When', cell: ({ at }) => <Ago at={at} /> },
]

const account: Column<AuditRecord> = {
  title: 'Account',
  cell: ({ operator, subjectId }) =>
    operator ? <span title={operator.email}>{operator.name}</span> : (subjectId ?? 'No account'),
}
