import { useEffect, useState } from 'preact/hooks'
import type { AttemptRecord, DeliveryDetail, EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { pretty } from '../../core/format.ts'
import { useAction, useResource, useWatch } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { Ago } from '../../parts/time.tsx'
import { type Moment, Timeline } from '../../parts/timeline.tsx'
import { DeliveryBadge } from './columns.tsx'

interface Props {
  readonly id: string
  readonly endpoints: readonly EndpointRecord[]
  onChange(): void
  onClose(): void
}

/** One delivery: its event, and each attempt with request and response. */
export function DeliveryDrawer({ id, endpoints, onChange, onClose }: Props) {
  const delivery = useResource<DeliveryDetail>(inWorkspace(`/deliveries/${id}`))
  return (
    <Drawer title={delivery.data?.event ?? 'Delivery'} isWide onClose={onClose}>
      <DialogBody>
        {delivery.error && <ErrorState error={delivery.error} onRetry={delivery.reload} />}
        {!delivery.data && !delivery.error && <Skeleton />}
        {delivery.data && (
          <Detail
            delivery={delivery.data}
            endpoint={endpoints.find((one) => one.id === delivery.data?.endpointId)}
            onReload={delivery.reload}
            onChange={onChange}
          />
        )}
      </DialogBody>
    </Drawer>
  )
}

function Detail({
  delivery,
  endpoint,
  onReload,
  onChange,
}: {
  readonly delivery: DeliveryDetail
  readonly endpoint: EndpointRecord | undefined
  onReload(): void
  onChange(): void
}) {
  const sending = useAction()
  const follow = useFollow(delivery, onReload, onChange)
  const send = (verb: 'replay' | 'retry', notice: string) =>
    sending.run(async () => {
      await api.post(inWorkspace(`/deliveries/${delivery.id}/${verb}`))
      say(notice)
      follow()
    })
  const next = can('ADMIN') ? nextAttempt(delivery) : undefined
  return (
    <>
      <div class="drawer-actions">
        <DeliveryBadge state={delivery.state} />
        <Button icon="refresh" onClick={onReload}>
          Refresh
        </Button>
        {next && (
          <Button icon="replay" isBusy={sending.isBusy} onClick={() => void send(next.verb, next.notice)}>
            {next.label}
          </Button>
        )}
      </div>
      <Problem error={sending.error} />
      <Facts
        facts={[
          ['Delivery', <code key="id">{delivery.id}</code>],
          ['Endpoint', endpoint?.name ?? 'Deleted'],
          ...aboutOf(delivery),
          ['Occurred', <Ago key="created" at={delivery.createdAt} />],
          delivery.nextAttemptAt === null
            ? ['Finished', <Ago key="finished" at={delivery.finishedAt} />]
            : ['Next attempt', <Ago key="next" at={delivery.nextAttemptAt} />],
        ]}
      />
      <h3>Attempts</h3>
      {delivery.attempts.length === 0 ? (
        <p class="dim">None yet.</p>
      ) : (
        <Timeline moments={delivery.attempts.map((attempt) => momentOf(attempt, delivery, endpoint))} />
      )}
    </>
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

/** A link to the message or call of the event. After its retention the body is gone, and so is the link. */
function aboutOf({ body }: DeliveryDetail): Fact[] {
  const { data } = JSON.parse(body ?? '{}') as { data?: { messageId?: string; callId?: string } }
  const { messageId, callId } = data ?? {}
  if (messageId !== undefined)
    return [
      [
        'Message',
        <a key="message" href={hrefOf('conversations', messageId)}>
          In the conversation
        </a>,
      ],
    ]
  if (callId === undefined) return []
  return [
    [
      'Call',
      <a key="call" href={hrefOf('calls', callId)}>
        In the log of calls
      </a>,
    ],
  ]
}

const isGood = ({ statusCode, error }: AttemptRecord): boolean =>
  error === null && (statusCode === null || (statusCode >= 200 && statusCode < 300))

function momentOf(
  attempt: AttemptRecord,
  delivery: DeliveryDetail,
  endpoint: EndpointRecord | undefined,
): Moment {
  const { number, at, statusCode, error, durationMs } = attempt
  const outcome =
    statusCode === null ? (error ?? 'taken') : `${statusCode}${error === null ? '' : ` (${error})`}`
  const isLast = attempt === delivery.attempts.at(-1)
  return {
    at,
    tone: isGood(attempt) ? 'good' : 'bad',
    title: `Attempt ${number}: ${outcome}, ${Math.round(durationMs)} ms`,
    body: (
      <details open={isLast}>
        <summary>Request and answer</summary>
        <div class="side-by-side">
          <CodeBlock label="Request" text={requestText(attempt, delivery, endpoint)} />
          <CodeBlock label="Answer" text={answerText(attempt)} />
        </div>
        <p class="hint">{timingsText(attempt)}</p>
      </details>
    ),
  }
}

/** Shows only headers that identify the event, because signatures and secrets are not stored. */
function requestText(
  attempt: AttemptRecord,
  delivery: DeliveryDetail,
  endpoint: EndpointRecord | undefined,
): string {
  const isSocket = endpoint?.url.startsWith('ws') === true
  const body = delivery.body === null ? '(past its retention)' : pretty(delivery.body)
  if (isSocket) return body
  const head = [
    `POST ${endpoint?.url ?? ''}`.trim(),
    'content-type: application/json',
    `x-communication-event: ${delivery.event}`,
    `x-communication-delivery: ${delivery.id}`,
    `x-communication-attempt: ${attempt.number}`,
  ]
  return `${head.join('\n')}\n\n${body}`
}

function answerText({
  statusCode,
  error,
  errorDetail,
  responseHeaders,
  responseBody,
  responseBodyEncoding,
}: AttemptRecord): string {
  if (statusCode === null && error === null) return 'The socket took the frame.'
  if (statusCode === null) return `No answer: ${error}${errorDetail === null ? '' : `, ${errorDetail}`}`
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`)
  const body =
    responseBodyEncoding === 'base64' ? `(no text; base64)\n${responseBody}` : pretty(responseBody ?? '')
  return [`${statusCode}`, ...headers, '', body].join('\n').trim()
}

function timingsText({ timings, remoteAddress, reusedConnection }: AttemptRecord): string {
  const parts = [
    ['DNS', timings.dnsMs],
    ['connect', timings.connectMs],
    ['TLS', timings.tlsMs],
    ['first byte', timings.firstByteMs],
  ] as const
  const took = parts
    .filter(([, ms]) => ms !== undefined)
    .map(([name, ms]) => `${name} ${Math.round(ms ?? 0)} ms`)
  const to =
    remoteAddress === null ? [] : [`to ${remoteAddress}${reusedConnection ? ', connection used again' : ''}`]
  return [...took, ...to].join(' · ')
}
