import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import type { DeliveryState } from '../../../../contract/records/delivery.ts'
import { day, exact, now, sentence, timeToSecond, zone } from '../../core/format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { About } from './about.tsx'
import { isGood, lastWords } from './words.ts'

const tones: Readonly<Record<DeliveryState, Tone>> = {
  PENDING: 'info',
  RETRYING: 'warn',
  DELIVERED: 'good',
  FAILED: 'bad',
  HELD: 'warn',
  DISCARDED: 'neutral',
  BLOCKED: 'bad',
}

export const deliveryStates = Object.keys(tones) as DeliveryState[]

export const DeliveryBadge = ({ state }: { readonly state: DeliveryState }) => (
  <Badge tone={tones[state]}>{sentence(state)}</Badge>
)

/** The event, with the status that it tells of. */
const Event = ({ row: { event, subject } }: { readonly row: DeliveryRecord }) => (
  <span class="stack">
    <code>{event}</code>
    {subject.status !== null && subject.kind !== 'account' && <small>{sentence(subject.status)}</small>}
  </span>
)

/** The state, and below it what the last attempt ended with. */
function State({
  row: { state, lastAttempt, attemptCount, nextAttemptAt },
}: {
  readonly row: DeliveryRecord
}) {
  return (
    <span class="stack">
      <DeliveryBadge state={state} />
      {lastAttempt && (
        <small class="last-answer">
          <span class={isGood(lastAttempt) ? undefined : 'bad-words'}>{lastWords(lastAttempt)}</span>
          {attemptCount > 1 && <span>attempt {attemptCount}</span>}
          {nextAttemptAt !== null && (
            <span>
              next <Ago at={nextAttemptAt} />
            </span>
          )}
        </small>
      )}
    </span>
  )
}

/** The time of today; before that, the day as well. */
function Time({ at }: { readonly at: string }) {
  const isToday = day(at) === day(now.value)
  return (
    <span class="stack">
      <time dateTime={at} title={exact(at)}>
        {timeToSecond(at)}
      </time>
      <small>{isToday ? <Ago at={at} /> : day(at)}</small>
    </span>
  )
}

export const deliveryColumns: readonly Column<DeliveryRecord>[] = [
  { title: 'Event', cell: (row) => <Event row={row} /> },
  { title: 'About', cell: ({ subject }) => <About subject={subject} /> },
  { title: 'State', cell: (row) => <State row={row} /> },
  { title: `Time, ${zone()}`, cell: ({ createdAt }) => <Time at={createdAt} /> },
]
