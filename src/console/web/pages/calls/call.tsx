// One call: its properties, why it was not forwarded, and its timeline to the millisecond.
import { useEffect } from 'preact/hooks'
import type { CallRecord } from '../../../../contract/records/call.ts'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import { inWorkspace } from '../../core/api.ts'
import { exact, logged, phone, sentence, zone } from '../../core/format.ts'
import { useResource } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { hrefOf } from '../../core/router.ts'
import type { Tone } from '../../parts/badge.tsx'
import { Copyable, CopyButton } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'
import { type Moment, Timeline } from '../../parts/timeline.tsx'
import { CallBadge, Duration } from './columns.tsx'
import { EndCall } from './ending.tsx'
import { contactOf, ending, forwardProblem, isLive, momentTitle } from './words.ts'

interface Entry {
  readonly at: string
  readonly kind: string
  readonly detail: Readonly<Record<string, unknown>>
}

interface CallDetail extends CallRecord {
  readonly timeline: readonly Entry[]
}

interface Props {
  readonly id: string
  readonly numbers: readonly NumberRecord[]
  /** The latest record from the live updates. */
  readonly latest: CallRecord | undefined
  onClose(): void
}

const LOOK_MS = 1_500

export function CallDrawer({ id, numbers, latest, onClose }: Props) {
  const call = useResource<CallDetail>(inWorkspace(`/calls/${id}`))
  const { data, error, reload } = call
  const moved = latest && `${latest.status} ${latest.lastForwardError?.at}`
  useEffect(() => {
    if (data && moved !== undefined && moved !== `${data.status} ${data.lastForwardError?.at}`) reload()
  }, [moved])
  // Poll a live call: not every entry of its timeline changes the call record, so live updates miss some.
  useRepeat(data && isLive(data) ? LOOK_MS : undefined, reload)
  return (
    <Drawer title={data ? `Call with ${contactOf(data).name}` : 'Call'} onClose={onClose}>
      <DialogBody>
        {error && !data && <ErrorState error={error} onRetry={reload} />}
        {!data && !error && <Skeleton />}
        {data && <Detail call={data} numbers={numbers} onChange={reload} />}
      </DialogBody>
    </Drawer>
  )
}

function Detail({
  call,
  numbers,
  onChange,
}: {
  readonly call: CallDetail
  readonly numbers: readonly NumberRecord[]
  onChange(): void
}) {
  const { lastForwardError: failed } = call
  return (
    <>
      <div class="drawer-actions">
        <span role="status">
          <CallBadge status={call.status} />
        </span>
        <CopyButton label="Copy link" text={location.origin + hrefOf('calls', call.id)} />
        <EndCall call={call} onDone={onChange} />
      </div>
      {failed && (
        <Note tone="bad">
          <p>
            <strong>{forwardProblem(failed).cause}.</strong> {forwardProblem(failed).remedy}
          </p>
          <p class="hint">
            <code>{failed.code}</code>
            {failed.endpointId !== null && (
              <>
                {' · '}
                <a href={hrefOf('endpoints', failed.endpointId)}>The endpoint</a>
              </>
            )}
          </p>
        </Note>
      )}
      <Facts facts={factsOf(call, numbers)} />
      <h3>What happened, {zone()}</h3>
      <Timeline moments={call.timeline.map(momentOf)} />
    </>
  )
}

function factsOf(call: CallDetail, numbers: readonly NumberRecord[]): Fact[] {
  const ours = numbers.find(({ id }) => id === call.numberId)?.number
  const { name, number } = contactOf(call)
  return [
    [
      'Contact',
      <a key="contact" href={hrefOf('conversations', call.conversationId)}>
        {name === number ? number : `${name}, ${number}`}
      </a>,
    ],
    ['Direction', call.direction === 'INBOUND' ? 'The customer called' : 'Your program called'],
    ['Your number', ours === undefined ? '—' : phone(ours)],
    [
      'Began',
      <time key="began" dateTime={call.createdAt} title={exact(call.createdAt)}>
        {logged(call.createdAt)}
      </time>,
    ],
    ['Length', <Duration key="length" call={call} />],
    ...(call.endReason === null ? [] : ([['Ended', ending(call.endReason)]] satisfies Fact[])),
    ['Call ID', <Copyable key="id" text={call.id} what="call ID" />],
  ]
}

const momentTones: Readonly<Record<string, Tone>> = {
  'forward.failed': 'bad',
  'media.failed': 'bad',
  'provider.refused': 'bad',
  'forward.delivered': 'good',
  'provider.accept_confirmed': 'good',
  status: 'info',
}

function momentOf({ at, kind, detail }: Entry): Moment {
  const told = toldOf(kind, detail)
  return {
    at,
    title: momentTitle(kind, detail),
    tone: momentTones[kind] ?? 'neutral',
    ...(told && { body: <p class="hint">{told}</p> }),
  }
}

function toldOf(kind: string, detail: Readonly<Record<string, unknown>>): string | undefined {
  const text = (name: string) => (typeof detail[name] === 'string' ? detail[name] : undefined)
  if (kind === 'status') return text('endReason') && ending(text('endReason') ?? '')
  if (kind === 'forward.failed')
    return forwardProblem({ code: text('code') ?? '', message: text('message') ?? '' }).cause
  if (text('title')) return `${text('title')} (${text('code') ?? 'no code'})`
  return text('code') && sentence(text('code') ?? '')
}
