// One message: what happened to it and when, who sent it, what its error means, and where its events went.
import type { ComponentChildren } from 'preact'
import type { MessageDelivery, MessageDetail } from '../../../../contract/records/message-log.ts'
import { inWorkspace } from '../../core/api.ts'
import { sentence, zone } from '../../core/format.ts'
import { useResource, useWatch } from '../../core/load.ts'
import type { Neighbours } from '../../core/neighbours.ts'
import { hrefOf } from '../../core/router.ts'
import { CodeBlock, Copyable, CopyButton } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'
import { Steps } from '../../parts/steps.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { hrefOfMessage } from '../conversations/address.ts'
import { DeliveryBadge } from '../deliveries/columns.tsx'
import { StatusBadge } from './columns.tsx'
import { customerOf, momentsOf, ourNumber } from './words.ts'

interface Props {
  readonly id: string
  readonly neighbours: Neighbours
  onOpen(id: string): void
  onClose(): void
}

/** It stays open from row to row. */
export function MessageDrawer({ id, neighbours, onOpen, onClose }: Props) {
  const { data, error, reload } = useResource<MessageDetail>(inWorkspace(`/messages/${id}`))
  useWatch(data?.status === 'QUEUED' || data?.status === 'SENT', reload)
  return (
    <Drawer title={data ? titleOf(data) : 'Message'} isWide onClose={onClose}>
      <DialogBody>
        <div class="drawer-actions">
          {data ? (
            <span role="status">
              <StatusBadge status={data.status} />
            </span>
          ) : (
            <span />
          )}
          <CopyButton label="Copy link" text={location.origin + hrefOf('messages', id)} />
          <Steps what="message" neighbours={neighbours} onOpen={onOpen} />
        </div>
        {error && !data && <ErrorState error={error} onRetry={reload} />}
        {!data && !error && <Skeleton />}
        {data && <Detail key={id} message={data} />}
      </DialogBody>
    </Drawer>
  )
}

const titleOf = (message: MessageDetail): string =>
  `Message ${message.direction === 'INBOUND' ? 'from' : 'to'} ${customerOf(message).name}`

const Detail = ({ message }: { readonly message: MessageDetail }) => (
  <>
    <WhyFailed message={message} />
    {message.text !== '' && <CodeBlock label="Text" text={message.text} />}
    <h3>What happened, {zone()}</h3>
    <Timeline moments={momentsOf(message)} isDated />
    <h3>Details</h3>
    <Facts facts={factsOf(message)} />
    <Deliveries message={message} />
  </>
)

const withoutDot = (text: string): string => text.replace(/\.+$/, '')

const WhyFailed = ({ message: { error, help } }: { readonly message: MessageDetail }) =>
  error && (
    <Note tone="bad">
      <p>
        <strong>{error.title}</strong>
      </p>
      {help && (
        <>
          <p>{help.meaning}</p>
          <p>
            <strong>What to do: </strong>
            {help.remedy}
          </p>
        </>
      )}
      {error.details !== undefined && withoutDot(error.details) !== withoutDot(error.title) && (
        <p>The provider says: {error.details}</p>
      )}
      <p class="hint">
        Code <code>{error.code}</code>
        {error.subcode !== undefined && (
          <>
            , subcode <code>{error.subcode}</code>
          </>
        )}
        {error.traceId !== undefined && (
          <>
            {' · '}Trace ID <code>{error.traceId}</code>{' '}
            <CopyButton text={error.traceId} what="trace ID" isBare />
          </>
        )}
      </p>
    </Note>
  )

function factsOf(message: MessageDetail): Fact[] {
  const { name, address } = customerOf(message)
  return [
    [
      'Contact',
      <a key="contact" href={hrefOfMessage(message.conversationId, message.id)}>
        {name === address ? address : `${name}, ${address}`}
      </a>,
    ],
    ['Your number', ourNumber(message)],
    ...(message.direction === 'OUTBOUND'
      ? ([['Sent by', <SentBy key="by" message={message} />]] satisfies Fact[])
      : []),
    ...contentFacts(message),
    ...(message.attempts > 1 ? ([['Attempts', String(message.attempts)]] satisfies Fact[]) : []),
    ['Message ID', <Copyable key="id" text={message.id} what="message ID" />],
    ...idFact('Provider ID', 'provider ID', message.providerMessageId),
    ...idFact('Idempotency key', 'idempotency key', message.caller?.idempotencyKey ?? null),
  ]
}

const idFact = (title: string, what: string, text: string | null): Fact[] =>
  text === null ? [] : [[title, <Copyable key={title} text={text} what={what} />]]

function contentFacts({ template, type, media, metadata }: MessageDetail): Fact[] {
  const pairs = (values: Readonly<Record<string, string>>): ComponentChildren => (
    <span class="stack">
      {Object.entries(values).map(([name, value]) => (
        <span key={name}>
          <span class="dim">{name}:</span> {value}
        </span>
      ))}
    </span>
  )
  const facts: Fact[] = []
  if (template) {
    const href = `${hrefOf('templates')}?name=${encodeURIComponent(template.name)}`
    facts.push([
      'Template',
      <span key="template">
        <a href={href}>{template.name}</a> · {template.language}
      </span>,
    ])
    if (Object.keys(template.variables).length > 0) facts.push(['Variables', pairs(template.variables)])
  } else facts.push(['Kind', sentence(type)])
  if (media) facts.push(['File', [media.fileName, media.mimeType].filter(Boolean).join(' · ')])
  if (Object.keys(metadata).length > 0) facts.push(['Metadata', pairs(metadata)])
  return facts
}

const senders = { OPERATOR: 'members', CAMPAIGN: 'campaigns', KEY: 'keys' } as const
const senderWords = { OPERATOR: '', CAMPAIGN: 'Campaign ', KEY: 'API key ' } as const

function SentBy({ message: { sentBy } }: { readonly message: MessageDetail }) {
  if (!sentBy) return <>—</>
  const { kind, id, name } = sentBy
  const href = kind === 'CAMPAIGN' ? hrefOf(senders[kind], id) : hrefOf(senders[kind])
  return (
    <>
      {senderWords[kind]}
      <a href={href}>{name}</a>
    </>
  )
}

const deliveryColumns: readonly Column<MessageDelivery>[] = [
  { title: 'Event', cell: ({ event }) => <code>{event}</code> },
  { title: 'Endpoint', cell: ({ endpoint }) => endpoint.name },
  { title: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
]

function Deliveries({ message: { deliveries } }: { readonly message: MessageDetail }) {
  return (
    <>
      <h3>Deliveries to your endpoints</h3>
      {deliveries.length === 0 ? (
        <p class="dim">
          No endpoint was told of this message, or it was longer ago than deliveries are kept.
        </p>
      ) : (
        <Table
          label="Deliveries to your endpoints"
          columns={deliveryColumns}
          rows={deliveries}
          hrefOf={({ id }) => hrefOf('deliveries', id)}
        />
      )}
    </>
  )
}
