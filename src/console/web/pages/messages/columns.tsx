import type { MessageStatus } from '../../../../contract/records/message.ts'
import type { LoggedMessage } from '../../../../contract/records/message-log.ts'
import { sentence, zone } from '../../core/format.ts'
import { Badge } from '../../parts/badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago, Logged } from '../../parts/time.tsx'
import { contentOf, customerOf, kindOf, ourNumber, tones } from './words.ts'

export const StatusBadge = ({ status }: { readonly status: MessageStatus }) => (
  <Badge tone={tones[status]}>{sentence(status)}</Badge>
)

const Customer = ({ row }: { readonly row: LoggedMessage }) => {
  const { name, address } = customerOf(row)
  return (
    <span class={name === address ? 'logged' : 'stack'}>
      {name}
      {name !== address && <small>{address}</small>}
    </span>
  )
}

const Content = ({ row }: { readonly row: LoggedMessage }) => (
  <span class="stack message-content">
    <span>{contentOf(row)}</span>
    <small>
      {sentence(row.direction)} · {kindOf(row)}
    </small>
  </span>
)

const State = ({ row: { status, error } }: { readonly row: LoggedMessage }) => (
  <span class="stack call-state">
    <StatusBadge status={status} />
    {error && <small class="bad-words">{error.title}</small>}
  </span>
)

export const columns: readonly Column<LoggedMessage>[] = [
  { title: 'Contact', cell: (row) => <Customer row={row} /> },
  { title: 'Message', cell: (row) => <Content row={row} /> },
  { title: 'Status', cell: (row) => <State row={row} /> },
  { title: 'Your number', isMinor: true, cell: (row) => <span class="logged">{ourNumber(row)}</span> },
  {
    title: `Time, ${zone()}`,
    cell: ({ createdAt }) => (
      <span class="stack">
        <Logged at={createdAt} />
        <small>
          <Ago at={createdAt} />
        </small>
      </span>
    ),
  },
]
