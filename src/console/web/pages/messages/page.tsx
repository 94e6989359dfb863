import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { NumberRecord, TemplateRecord } from '../../../../contract/records/catalog.ts'
import type { KeyRecord } from '../../../../contract/records/console.ts'
import type { MessageStatus } from '../../../../contract/records/message.ts'
import type { LoggedMessage } from '../../../../contract/records/message-log.ts'
import { inWorkspace } from '../../core/api.ts'
import { phone, sentence } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, withQuery } from '../../core/router.ts'
import { useRows } from '../../core/use-rows.ts'
import { LinkButton } from '../../parts/button.tsx'
import type { Option } from '../../parts/field.tsx'
import { contactHint } from '../../parts/filter.ts'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { ListActions } from '../../parts/list-actions.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { columns } from './columns.tsx'
import { MessageDrawer } from './message.tsx'
import { tones } from './words.ts'

const filterNames = [
  ...['status', 'direction', 'contact', 'since', 'until', 'numberId', 'template'],
  ...['campaignId', 'apiKeyId', 'errorCode'],
]

export function Page({ id }: PageProps) {
  const filters = filterValues(filterNames)
  const list = useList<LoggedMessage>(inWorkspace('/messages', filters))
  const neighbours = useRows(list, id)
  const { query } = place.value
  const hrefOfMessage = (message?: string) => withQuery(hrefOf('messages', message), query)
  return (
    <>
      <PageHeader
        title="Messages"
        intro="Every message in both directions, who sent it and what became of it."
        actions={<ListActions list="messages" filters={filters} onRefresh={list.reload} />}
      />
      <Filters filters={useFilters()} error={list.error} />
      <ListTable
        label="Messages"
        list={list}
        columns={columns}
        hrefOf={(row) => hrefOfMessage(row.id)}
        isCurrent={(row) => row.id === id}
        empty={<Nothing isFiltered={Object.values(filters).some(Boolean)} />}
      />
      {id !== undefined && (
        <MessageDrawer
          {...{ id, neighbours }}
          onOpen={(next) => navigate(hrefOfMessage(next), { replace: true })}
          onClose={() => navigate(hrefOfMessage())}
        />
      )}
    </>
  )
}

/** The names to choose from are read beside the list, which does not wait for them. */
function useFilters(): Filter[] {
  const most = { limit: 200 }
  const numbers = useList<NumberRecord>(inWorkspace('/numbers', most)).rows ?? []
  const templates = useList<TemplateRecord>(inWorkspace('/templates', most)).rows ?? []
  const campaigns = useList<CampaignRecord>(inWorkspace('/campaigns', most)).rows ?? []
  const keys = useList<KeyRecord>(inWorkspace('/keys', most)).rows ?? []
  const named = (rows: readonly { readonly id: string; readonly name: string }[]): Option[] =>
    rows.map(({ id, name }) => ({ value: id, label: name }))
  const templateNames = [...new Set(templates.map(({ name }) => name))].sort()
  return [
    {
      ...{ name: 'status', label: 'Status', isMany: true },
      options: (Object.keys(tones) as MessageStatus[]).map((value) => ({ value, label: sentence(value) })),
    },
    { name: 'contact', label: 'Contact', placeholder: 'Name or number', hint: contactHint },
    { name: 'since', label: 'Time', isTime: true, until: 'until' },
    {
      ...{ name: 'direction', label: 'Direction' },
      options: ['INBOUND', 'OUTBOUND'].map((value) => ({ value, label: sentence(value) })),
    },
    {
      ...{ name: 'numberId', label: 'Your number' },
      options: numbers.map(({ id, number }) => ({ value: id, label: phone(number) })),
    },
    {
      ...{ name: 'template', label: 'Template' },
      options: templateNames.map((value) => ({ value, label: value })),
    },
    { name: 'campaignId', label: 'Campaign', options: named(campaigns) },
    { name: 'apiKeyId', label: 'API key', options: named(keys) },
    { name: 'errorCode', label: 'Error code', placeholder: '131026' },
  ]
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <NoResults icon="send" />
  ) : (
    <EmptyState
      icon="send"
      title="No messages yet"
      action={<LinkButton href={hrefOf('conversations')}>Conversations</LinkButton>}
    >
      What customers write and what you send appears here, with its status.
    </EmptyState>
  )
