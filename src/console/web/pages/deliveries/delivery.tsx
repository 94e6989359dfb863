import { useEffect, useState } from 'preact/hooks'
import type { DeliveryDetail, EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { endpointTitles } from '../../core/endpoint-names.ts'
import { pretty, sentence } from '../../core/format.ts'
import { useAction, useResource, useWatch } from '../../core/load.ts'
import type { Neighbours } from '../../core/neighbours.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock, Copyable } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { EndpointName } from '../../parts/endpoint-name.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { Steps } from '../../parts/steps.tsx'
import { Exactly } from '../../parts/time.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { recordOf } from './about.tsx'
import { momentOf } from './attempts.tsx'
import { DeliveryBadge } from './columns.tsx'
import { WhyHeld } from './held.tsx'
import { moreOf, whoOf } from './words.ts'

interface Shared {
  readonly endpoints: readonly EndpointRecord[]
  onTurnOn(endpoint: EndpointRecord): void
  onChange(): void
}

interface Props extends Shared {
  readonly id: string
  readonly neighbours: Neighbours
  onOpen(id: string): void
  onClose(): void
}

/** One delivery: its event, and each attempt with request and answer. It stays open from row to row. */
export function DeliveryDrawer({ id, neighbours, onOpen, onClose, ...shared }: Props) {
  const delivery = useResource<DeliveryDetail>(inWorkspace(`/deliveries/${id}`))
  return (
    <Drawer title={delivery.data?.event ?? 'Delivery'} isWide onClose={onClose}>
      <DialogBody>
        <div class="drawer-actions">
          {delivery.data ? <DeliveryBadge state={delivery.data.state} /> : <span />}
          <Button look="quiet" icon="refresh" onClick={delivery.reload}>
            Refresh
          </Button>
          <Steps what="delivery" neighbours={neighbours} onOpen={onOpen} />
        </div>
        {delivery.error && <ErrorState error={delivery.error} onRetry={delivery.reload} />}
        {!delivery.data && !delivery.error && <Skeleton />}
        {delivery.data && <Detail key={id} {...shared} delivery={delivery.data} onReload={delivery.reload} />}
      </DialogBody>
    </Drawer>
  )
}

interface DetailProps extends Shared {
  readonly delivery: DeliveryDetail
  onReload(): void
}

function Detail({ delivery, endpoints, onTurnOn, onReload, onChange }: DetailProps) {
  const sending = useAction()
  const endpoint = endpoints.find(({ id }) => id === delivery.endpointId)
  const follow = useFollow(delivery, onReload, onChange)
  const send = (verb: 'replay' | 'retry', notice: string) =>
    sending.run(async () => {
      await api.post(inWorkspace(`/deliveries/${delivery.id}/${verb}`))
      say(notice)
      follow()
    })
  const next = can('ADMIN') && endpoint?.enabled ? nextAttempt(delivery) : undefined
  return (
    <>
      <WhyHeld delivery={delivery} endpoint={endpoint} onTurnOn={onTurnOn} />
      {next && (
        <div>
          <Button icon="replay" isBusy={sending.isBusy} onClick={() => void send(next.verb, next.notice)}>
            {next.label}
          </Button>
        </div>
      )}
      <Problem error={sending.error} />
      <Facts facts={factsOf(delivery, endpoints)} />
      {delivery.attempts.length > 0 ? (
        <>
          <h3>Attempts</h3>
          <Timeline moments={delivery.attempts.map((attempt) => momentOf(attempt, delivery, endpoint))} />
        </>
      ) : (
        <>
          <h3>Event</h3>
          {delivery.body === null ? (
            <p class="dim">Its event is no longer stored.</p>
          ) : (
            <CodeBlock label="Body" text={pretty(delivery.body)} />
          )}
          <p class="dim">No attempt was made yet.</p>
        </>
      )}
    </>
  )
}

function factsOf(delivery: DeliveryDetail, endpoints: readonly EndpointRecord[]): Fact[] {
  const at = (time: string) => <Exactly at={time} />
  return [
    ['About', <Subject key="about" delivery={delivery} />],
    [
      'Endpoint',
      <a key="endpoint" href={hrefOf('endpoints', delivery.endpointId)}>
        <EndpointName title={endpointTitles(endpoints).get(delivery.endpointId)} />
      </a>,
    ],
    ['Occurred', at(delivery.createdAt)],
    ...(delivery.nextAttemptAt === null ? [] : ([['Next attempt', at(delivery.nextAttemptAt)]] as const)),
    ...(delivery.finishedAt === null ? [] : ([['Finished', at(delivery.finishedAt)]] as const)),
    ['Delivery', <Copyable key="id" text={delivery.id} what="ID" />],
  ]
}

function Subject({ delivery: { subject } }: { readonly delivery: DeliveryDetail }) {
  const href = recordOf(subject)
  const status = subject.kind === 'account' || subject.status === null ? undefined : sentence(subject.status)
  const { campaign } = subject
  const more = [moreOf({ ...subject, campaign: null }), status].filter(Boolean).join(' · ')
  return (
    <span class="inline">
      {href ? <a href={href}>{whoOf(subject)}</a> : whoOf(subject)}
      {campaign && <a href={hrefOf('campaigns', campaign.id)}>{campaign.name}</a>}
      {more !== '' && <span class="dim">{more}</span>}
    </span>
  )
}

/** What an operator can do for one more attempt. Nothing while the first one is on its way. */
function nextAttempt({ state }: DeliveryDetail) {
  if (state === 'PENDING') return undefined
  return state === 'RETRYING'
    ? ({ verb: 'retry', label: 'Retry now', notice: 'The retry is on its way.' } as const)
    : ({ verb: 'replay', label: 'Replay', notice: 'One more attempt is on its way.' } as const)
}

const FIRST_LOOK_MS = 300

/** Polls until there is one more attempt, then calls `onChange` to update the list. */
function useFollow({ attempts }: DeliveryDetail, onReload: () => void, onChange: () => void): () => void {
  const [before, setBefore] = useState<number>()
  const isAwaited = attempts.length === before
  useWatch(isAwaited, onReload, FIRST_LOOK_MS)
  useEffect(() => {
    if (before !== undefined && !isAwaited) onChange()
  }, [isAwaited])
  return () => setBefore(attempts.length)
}
