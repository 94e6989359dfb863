import { useState } from 'preact/hooks'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { count } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { useNew } from '../../core/starts-new.ts'
import { Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { EndpointForm, type WithSecret } from './endpoint-form.tsx'
import { NewSecret } from './secret.tsx'
import { EndpointState } from './state.tsx'

export function EndpointList() {
  const list = useList<EndpointRecord>(inWorkspace('/endpoints'))
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<WithSecret>()
  useNew(() => setCreating(true), can('ADMIN'))
  const create = can('ADMIN') && (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      Add endpoint
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Webhook endpoints"
        intro="Where events go: signed, by HTTPS or over one WebSocket. What fails is sent again; an endpoint that keeps failing is turned off and its events are held."
        actions={create}
      />
      <ListTable
        label="Webhook endpoints"
        list={list}
        columns={columns}
        hrefOf={({ id }) => hrefOf('endpoints', id)}
        empty={
          <EmptyState icon="endpoints" title="No endpoints yet" action={create}>
            Add the address of your receiver, verify the signature with the secret that you are shown, and
            send it a test event.
          </EmptyState>
        }
      />
      {isCreating && (
        <EndpointForm<WithSecret>
          onClose={() => setCreating(false)}
          onDone={(endpoint) => {
            setCreating(false)
            setCreated(endpoint)
          }}
        />
      )}
      {created && <NewSecret record={created} onClose={() => navigate(hrefOf('endpoints', created.id))} />}
    </>
  )
}

const columns: readonly Column<EndpointRecord>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Address', cell: ({ url }) => <code class="address">{url}</code> },
  { title: 'State', cell: (record) => <EndpointState record={record} /> },
  {
    title: 'Events',
    isMinor: true,
    cell: ({ events }) => (
      <span class="tags">
        {events.slice(0, 2).map((kind) => (
          <Tag key={kind}>{kind}</Tag>
        ))}
        {events.length > 2 && <span title={events.slice(2).join(', ')}>and {events.length - 2} more</span>}
      </span>
    ),
  },
  {
    title: 'Held',
    align: 'end',
    cell: ({ heldCount }) => (heldCount === 0 ? <span class="dim">0</span> : count(heldCount)),
  },
  { title: 'Added', isMinor: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]
