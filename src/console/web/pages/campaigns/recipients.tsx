// The recipients of a campaign with their status. The filters are in the address. The report has every page
// of the filtered list.
import type { CampaignRecord, RecipientRecord } from '../../../../contract/records/campaign.ts'
import { askRaw, inWorkspace } from '../../core/api.ts'
import { saveFile } from '../../core/download.ts'
import { phone, sentence } from '../../core/format.ts'
import { useFresh } from '../../core/fresh.ts'
import { useAction, useList } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/facts.tsx'
import { FailureText } from '../../parts/failure.tsx'
import { contactHint } from '../../parts/filter.ts'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { EmptyState, Problem } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { RecipientBadge, recipientWords } from './words.tsx'

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: recipientWords.map(({ status }) => ({ value: status, label: sentence(status) })),
  },
  { name: 'to', label: 'Recipient', placeholder: 'Name or number', hint: contactHint },
]

export function Recipients({ campaign }: { readonly campaign: CampaignRecord }) {
  const { status, to } = filterValues(['status', 'to'])
  const isFiltered = status !== undefined || to !== undefined
  const path = inWorkspace(`/campaigns/${campaign.id}/recipients`, { status, to })
  const list = useList<RecipientRecord>(path)
  useFresh(list, JSON.stringify(campaign.counts))
  const report = useAction()
  const download = () =>
    report.run(async () => {
      const answer = await askRaw(path, { headers: { accept: 'text/csv' } })
      saveFile(`${fileName(campaign.name)}-recipients.csv`, await answer.blob())
    })
  return (
    <Section
      title="Recipients"
      actions={
        campaign.counts.total > 0 &&
        can('ADMIN') && (
          <Button icon="download" isBusy={report.isBusy} onClick={() => void download()}>
            {isFiltered ? 'Report of these' : 'Report as CSV'}
          </Button>
        )
      }
    >
      <Problem error={report.error} />
      {(campaign.counts.total > 0 || isFiltered) && <Filters filters={filters} error={list.error} />}
      <ListTable
        label="Recipients"
        list={list}
        columns={columns}
        empty={
          isFiltered ? (
            <NoResults icon="members" />
          ) : (
            <EmptyState icon="members" title="No recipients yet">
              Add recipients from a CSV or NDJSON file, or paste rows from a spreadsheet.
            </EmptyState>
          )
        }
      />
    </Section>
  )
}

const fileName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60) || 'campaign'

const columns: readonly Column<RecipientRecord>[] = [
  { title: 'Number', cell: ({ to, userId }) => (to === '' ? <code>{userId}</code> : phone(to)) },
  { title: 'Status', cell: ({ status }) => <RecipientBadge status={status} /> },
  { title: 'Why', cell: ({ error, skippedReason }) => <Why error={error} skippedReason={skippedReason} /> },
  {
    title: 'Message',
    isMinor: true,
    cell: ({ messageId }) =>
      messageId === null ? (
        <span class="dim">—</span>
      ) : (
        <a href={hrefOf('conversations', messageId)} title={messageId}>
          In the conversation
        </a>
      ),
  },
  { title: 'Replied', isMinor: true, cell: ({ repliedAt }) => <Ago at={repliedAt} /> },
  { title: 'Changed', isMinor: true, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
]

function Why({ error, skippedReason }: Pick<RecipientRecord, 'error' | 'skippedReason'>) {
  if (error) return <FailureText failure={error} />
  return skippedReason === null ? <span class="dim">—</span> : <span>{sentence(skippedReason)}</span>
}
