import { useEffect, useState } from 'preact/hooks'
import type { DeliveryRecord, EndpointRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { endpointOptions, endpointTitles } from '../../core/endpoint-names.ts'
import { sentence, time } from '../../core/format.ts'
import { type List, useList } from '../../core/load.ts'
import type { PageProps } from '../../core/page-props.ts'
import { hrefOf, navigate, place, setQuery, withQuery } from '../../core/router.ts'
import { nothingSelected, type Selection, withAll, within } from '../../core/selection.ts'
import { can } from '../../core/session.ts'
import { useRows } from '../../core/use-rows.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { EndpointName } from '../../parts/endpoint-name.tsx'
import { Check } from '../../parts/field.tsx'
import { contactHint } from '../../parts/filter.ts'
import { type Filter, Filters, filterValues } from '../../parts/filters.tsx'
import { later } from '../../parts/later.tsx'
import { ListActions } from '../../parts/list-actions.tsx'
import { NoResults } from '../../parts/no-results.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { selectionColumn } from '../../parts/selection.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { TurnOn } from '../endpoints/actions.tsx'
import { allEvents } from '../endpoints/events.ts'
import { deliveryColumns, deliveryStates } from './columns.tsx'
import { NewRows } from './new-rows.tsx'
import { ReplayChosen } from './replay-chosen.tsx'
import { useLiveLog } from './use-live-log.ts'
import { whoOf } from './words.ts'

const ReplayMany = later(() => import('./replay-many.tsx').then((module) => module.ReplayMany))
const DeliveryDrawer = later(() => import('./delivery.tsx').then((module) => module.DeliveryDrawer))

const filterNames = ['endpointId', 'event', 'state', 'key', 'since', 'until']

export function Page({ id }: PageProps) {
  const filters = filterValues(filterNames)
  const path = inWorkspace('/deliveries', filters)
  const list = useList<DeliveryRecord>(path)
  const endpoints = useList<EndpointRecord>(inWorkspace('/endpoints'))
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const [turningOn, setTurningOn] = useState<EndpointRecord>()
  const { query } = place.value
  const isLive = query.get('live') === 'true'
  const live = useLiveLog(list, { path, isLive })
  const neighbours = useRows(list, id)
  const all = endpoints.rows ?? []
  const rows = list.rows ?? []
  // What was selected under other filters is not replayed unseen.
  useEffect(() => setSelection(nothingSelected), [path])
  const open = (row?: string) => navigate(withQuery(hrefOf('deliveries', row), query))
  return (
    <>
      <Header {...{ list, isLive, filters, endpoints: all }} onTurnedOn={endpoints.reload} />
      <Filters filters={filtersOf(all)} error={list.error} />
      <NewRows {...live} />
      <ListTable
        label="Deliveries"
        list={list}
        columns={columnsOf({ rows, selection, onSelect: setSelection, endpoints: all })}
        hrefOf={(row) => withQuery(hrefOf('deliveries', row.id), query)}
        isCurrent={(row) => row.id === id}
        empty={<Nothing isFiltered={Object.values(filters).some(Boolean)} />}
      />
      {can('ADMIN') && (
        <ReplayChosen
          key={path}
          chosen={chosenOf(rows, selection)}
          endpoints={all}
          shown={rows.length}
          onTurnOn={setTurningOn}
          onAll={() =>
            setSelection(
              withAll(
                selection,
                rows.map((row) => row.id),
              ),
            )
          }
          onClear={() => setSelection(nothingSelected)}
          onDone={(refused) => {
            setSelection({ ids: new Set(refused), anchor: undefined })
            void list.refresh()
          }}
        />
      )}
      {id !== undefined && (
        <DeliveryDrawer
          {...{ id, neighbours, endpoints: all }}
          onTurnOn={setTurningOn}
          onChange={() => void list.refresh()}
          onOpen={(next) => navigate(withQuery(hrefOf('deliveries', next), query), { replace: true })}
          onClose={open}
        />
      )}
      {turningOn && (
        <TurnOn
          record={turningOn}
          onClose={() => setTurningOn(undefined)}
          onChange={() => {
            setTurningOn(undefined)
            endpoints.reload()
          }}
        />
      )}
    </>
  )
}

function Header({
  list,
  endpoints,
  filters,
  isLive,
  onTurnedOn,
}: {
  readonly list: List<DeliveryRecord>
  readonly endpoints: readonly EndpointRecord[]
  readonly filters: Readonly<Record<string, string | undefined>>
  readonly isLive: boolean
  onTurnedOn(): void
}) {
  const [isReplaying, setReplaying] = useState(false)
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
            <ListActions list="deliveries" filters={filters} onRefresh={isLive ? undefined : list.reload} />
            {can('ADMIN') && endpoints.length > 0 && (
              <Button icon="replay" onClick={() => setReplaying(true)}>
                Replay many
              </Button>
            )}
          </>
        }
      />
      {isReplaying && (
        <ReplayMany
          endpoints={endpoints}
          endpointId={filters['endpointId']}
          since={filters['since']}
          onTurnedOn={onTurnedOn}
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

function chosenOf(rows: readonly DeliveryRecord[], selection: Selection): DeliveryRecord[] {
  const chosen = new Set(
    within(
      selection,
      rows.map(({ id }) => id),
    ),
  )
  return rows.filter(({ id }) => chosen.has(id))
}

const filtersOf = (endpoints: readonly EndpointRecord[]): Filter[] => [
  {
    name: 'state',
    label: 'State',
    isMany: true,
    options: deliveryStates.map((state) => ({ value: state, label: sentence(state) })),
  },
  { name: 'endpointId', label: 'Endpoint', options: endpointOptions(endpoints) },
  { name: 'event', label: 'Event', options: allEvents.map((kind) => ({ value: kind, label: kind })) },
  { name: 'since', label: 'Time', isTime: true, until: 'until' },
  { name: 'key', label: 'About', placeholder: 'Name, number, cnv_… or call_…', hint: contactHint },
]

function columnsOf({
  rows,
  selection,
  onSelect,
  endpoints,
}: {
  readonly rows: readonly DeliveryRecord[]
  readonly selection: Selection
  readonly endpoints: readonly EndpointRecord[]
  onSelect(selection: Selection): void
}): Column<DeliveryRecord>[] {
  const [event, about, ...others] = deliveryColumns
  const titles = endpointTitles(endpoints)
  const endpoint: Column<DeliveryRecord> = {
    title: 'Endpoint',
    cell: ({ endpointId }) => <EndpointName title={titles.get(endpointId)} />,
  }
  const boxes = selectionColumn<DeliveryRecord>({
    ...{ rows, selection, onChange: onSelect },
    nameOf: ({ event: kind, subject, createdAt }) => `${kind}, ${whoOf(subject)}, ${time(createdAt)}`,
  })
  return [...(can('ADMIN') ? [boxes] : []), ...(event && about ? [event, about, endpoint] : []), ...others]
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <NoResults icon="deliveries" />
  ) : (
    <EmptyState
      icon="deliveries"
      title="Nothing was delivered yet"
      action={<LinkButton href={hrefOf('endpoints')}>Webhook endpoints</LinkButton>}
    >
      Add an endpoint and send it a test event; every attempt appears here.
    </EmptyState>
  )
