import { useState } from 'preact/hooks'
import type { DeliveryRecord, EndpointRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { endpointOptions, endpointTitles } from '../../core/endpoint-names.ts'
import { plural, sentence } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, setQuery, withQuery } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { EndpointName } from '../../parts/endpoint-name.tsx'
import { Check } from '../../parts/field.tsx'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { allEvents } from '../endpoints/events.ts'
import { deliveryColumns, deliveryStates } from './columns.tsx'
import { DeliveryDrawer } from './delivery.tsx'
import { ReplayMany } from './replay-many.tsx'
import { toTop, useTail } from './tail.ts'

const filterNames = ['endpointId', 'event', 'state', 'key', 'since', 'until']

export function Page({ id }: PageProps) {
  const filters = filterValues(filterNames)
  const list = useList<DeliveryRecord>(inWorkspace('/deliveries', filters))
  const endpoints = useList<EndpointRecord>(inWorkspace('/endpoints')).rows ?? []
  const [isReplaying, setReplaying] = useState(false)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const { query } = place.value
  const isLive = query.get('live') === 'true'
  const tail = useTail(list, { isLive, isReading: id !== undefined })
  return (
    <>
      <PageHeader
        title="Delivery log"
        intro="Every event for every endpoint, with each attempt and what the receiver answered."
        actions={
          <>
            <Check
              label="Live"
              isSwitch
              checked={isLive}
              onChange={(isOn) => setQuery({ live: isOn ? 'true' : undefined })}
            />
            {!isLive && (
              <Button icon="refresh" onClick={list.reload}>
                Refresh
              </Button>
            )}
            {can('ADMIN') && endpoints.length > 0 && (
              <Button icon="replay" onClick={() => setReplaying(true)}>
                Replay many
              </Button>
            )}
          </>
        }
      />
      <Filters filters={filtersOf(endpoints)} />
      <div class="news" role="status">
        {tail.waiting > 0 && (
          <Button onClick={toTop}>{plural(tail.waiting, 'new delivery', 'new deliveries')}</Button>
        )}
      </div>
      <ListTable
        label="Deliveries"
        list={tail.list}
        columns={columnsOf(endpoints)}
        hrefOf={(row) => withQuery(hrefOf('deliveries', row.id), query)}
        isCurrent={(row) => row.id === id}
        empty={<Nothing isFiltered={isFiltered} />}
      />
      {id !== undefined && (
        <DeliveryDrawer
          key={id}
          id={id}
          endpoints={endpoints}
          onChange={list.reload}
          onClose={() => navigate(withQuery(hrefOf('deliveries'), query))}
        />
      )}
      {isReplaying && (
        <ReplayMany
          endpoints={endpoints}
          endpointId={filters['endpointId']}
          since={filters['since']}
          onClose={() => setReplaying(false)}
          onDone={() => {
            setReplaying(false)
            list.reload()
          }}
        />
      )}
    </>
  )
}

const filtersOf = (endpoints: readonly EndpointRecord[]): Filter[] => [
  {
    name: 'endpointId',
    label: 'Endpoint',
    options: endpointOptions(endpoints),
  },
  { name: 'event', label: 'Event', options: allEvents.map((kind) => ({ value: kind, label: kind })) },
  {
    name: 'state',
    label: 'State',
    options: deliveryStates.map((state) => ({ value: state, label: sentence(state) })),
  },
  { name: 'key', label: 'Conversation or call', placeholder: 'cnv_… or call_…' },
  { name: 'since', until: 'until', label: 'Time', isTime: true },
]

function columnsOf(endpoints: readonly EndpointRecord[]): Column<DeliveryRecord>[] {
  const titles = endpointTitles(endpoints)
  const [event, state, ...others] = deliveryColumns
  const endpoint: Column<DeliveryRecord> = {
    title: 'Endpoint',
    cell: ({ endpointId }) => <EndpointName title={titles.get(endpointId)} />,
  }
  return [...(event && state ? [event, endpoint, state] : []), ...others]
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="deliveries" title="Nothing fits these filters">
      Take a filter away, or look at another time.
    </EmptyState>
  ) : (
    <EmptyState
      icon="deliveries"
      title="Nothing was delivered yet"
      action={<LinkButton href={hrefOf('endpoints')}>Webhook endpoints</LinkButton>}
    >
      Add an endpoint and send it a test event; every attempt appears here.
    </EmptyState>
  )
