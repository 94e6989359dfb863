// What the provider reports of the account, of one number or of one template.
import type { AccountSeverity, AccountStateRecord } from '../../../contract/records/account.ts'
import { inWorkspace } from '../core/api.ts'
import { sentence } from '../core/format.ts'
import { useResource } from '../core/load.ts'
import { Badge, type Tone } from './badge.tsx'
import { Section } from './facts.tsx'
import { type Column, Table } from './table.tsx'
import { Ago } from './time.tsx'

const tones: Readonly<Record<AccountSeverity, Tone>> = { CRITICAL: 'bad', WARNING: 'warn', INFO: 'neutral' }

/** Nothing while it is read, where it cannot be read, and where there is nothing to say. */
export function AccountStates({
  title,
  query,
}: {
  readonly title: string
  /** Which of them. */
  readonly query: string
}) {
  const path = inWorkspace(`/account?${query}`)
  const { data } = useResource<{ readonly data: readonly AccountStateRecord[] }>(path)
  const rows = (data?.data ?? []).map((state, index) => ({ ...state, id: String(index) }))
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <Table label={title} columns={columns} rows={rows} />
    </Section>
  )
}

/** TIER_2K becomes Tier 2K. */
const wordOf = (status: string): string =>
  status.startsWith('TIER_') ? `Tier ${status.slice(5)}` : sentence(status)

const columns: readonly Column<AccountStateRecord & { readonly id: string }>[] = [
  { title: 'About', cell: ({ topic }) => sentence(topic) },
  {
    title: 'Status',
    cell: ({ status, severity }) => <Badge tone={tones[severity]}>{wordOf(status)}</Badge>,
  },
  {
    title: 'What it means',
    cell: ({ message, advice }) => (
      <span class="stack">
        <span>{message}</span>
        {advice !== null && <small>{advice}</small>}
      </span>
    ),
  },
  { title: 'Since', isMinor: true, cell: ({ occurredAt }) => <Ago at={occurredAt} /> },
  {
    title: 'Until',
    isMinor: true,
    cell: ({ until }) => (until === null ? <span class="dim">—</span> : <Ago at={until} />),
  },
]
