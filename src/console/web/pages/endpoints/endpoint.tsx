import { useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { moment, phone } from '../../core/format.ts'
import { useList, useResource } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/code.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { Menu } from '../../parts/menu.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { Ago } from '../../parts/time.tsx'
import { type Opened, OpenedAction } from './actions.tsx'
import { Health } from './health.tsx'
import { Held } from './held.tsx'
import { Recent } from './recent.tsx'
import { EndpointState } from './state.tsx'
import { TestEvent } from './test-event.tsx'

export function EndpointPage({ id }: { readonly id: string }) {
  const endpoint = useResource<EndpointRecord>(inWorkspace(`/endpoints/${id}`))
  const [opened, setOpened] = useState<Opened>()
  const [turn, setTurn] = useState(0)
  const back = { href: hrefOf('endpoints'), title: 'Webhook endpoints' }
  if (!endpoint.data)
    return (
      <>
        <PageHeader title="Webhook endpoint" back={back} />
        {endpoint.error ? <ErrorState error={endpoint.error} onRetry={endpoint.reload} /> : <Skeleton />}
      </>
    )
  const record = endpoint.data
  const refresh = () => {
    endpoint.reload()
    setTurn(turn + 1)
  }
  return (
    <>
      <PageHeader
        title={record.name}
        back={back}
        actions={can('ADMIN') && <Actions record={record} onOpen={setOpened} />}
      />
      <Held record={record} onTurnOn={() => setOpened({ type: 'enable' })} onDone={refresh} />
      <Known record={record} />
      {can('ADMIN') && record.enabled && <TestEvent record={record} onDone={refresh} />}
      <Health key={`health ${turn}`} endpointId={id} />
      <Recent key={turn} endpointId={id} />
      {opened && (
        <OpenedAction
          record={record}
          opened={opened}
          onClose={() => setOpened(undefined)}
          onChange={(changed) => {
            endpoint.set(changed)
            setOpened(undefined)
          }}
          onSecret={(changed) => setOpened({ type: 'secret', changed })}
        />
      )}
    </>
  )
}

const Actions = ({ record, onOpen }: { readonly record: EndpointRecord; onOpen(opened: Opened): void }) => (
  <>
    <Button onClick={() => onOpen({ type: 'edit' })}>Edit</Button>
    <Button onClick={() => onOpen({ type: record.enabled ? 'disable' : 'enable' })}>
      {record.enabled ? 'Turn off' : 'Turn on'}
    </Button>
    <Menu
      label="More actions"
      items={[
        { label: 'Rotate the secret', onSelect: () => onOpen({ type: 'rotate' }) },
        { label: 'Delete', isDanger: true, onSelect: () => onOpen({ type: 'delete' }) },
      ]}
    />
  </>
)

function Known({ record }: { readonly record: EndpointRecord }) {
  const numbers = useList<NumberRecord>(inWorkspace('/numbers', { limit: 200 }))
  const routed = numbers.rows?.filter(({ replyRouting }) => replyRouting?.endpointId === record.id) ?? []
  return (
    <Section title="Endpoint">
      <Facts
        facts={[
          ['State', <EndpointState key="state" record={record} />],
          [
            'Address',
            <span key="address" class="inline">
              <code class="address">{record.url}</code>
              <CopyButton text={record.url} />
            </span>,
          ],
          [
            'Events',
            <span key="events" class="tags">
              {record.events.map((kind) => (
                <Tag key={kind}>{kind}</Tag>
              ))}
            </span>,
          ],
          [
            'Numbers',
            <span key="numbers" class="inline">
              {numbersText(record, routed)}
              <a href={hrefOf('numbers')}>Set up numbers</a>
            </span>,
          ],
          ['Added', <Since key="added" at={record.createdAt} />],
          ...(record.addressChangedAt === null
            ? []
            : ([['Address changed', <Since key="moved" at={record.addressChangedAt} />]] as const)),
          ...(record.disabledAt === null
            ? []
            : ([['Off since', <Since key="off" at={record.disabledAt} />]] as const)),
        ]}
      />
    </Section>
  )
}

const Since = ({ at }: { readonly at: string }) => (
  <span class="inline">
    {moment(at)}
    <span class="dim">
      <Ago at={at} />
    </span>
  </span>
)

/** What is written to a number goes to its own endpoint alone, or to all that take messages. */
function numbersText({ events }: EndpointRecord, own: readonly NumberRecord[]): string {
  if (own.length > 0)
    return own
      .map(({ number, forwardCalls }) => `${phone(number)}${forwardCalls ? ' and its calls' : ''}`)
      .join(', ')
  return events.includes('message.received')
    ? 'All that have no endpoint of their own'
    : 'None: it does not take messages'
}
