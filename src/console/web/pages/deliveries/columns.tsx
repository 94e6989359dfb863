import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import type { DeliveryState } from '../../../../contract/records/delivery.ts'
import { sentence, zone } from '../../core/format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago, Logged } from '../../parts/time.tsx'
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

function LastAnswer({ row: { lastAttempt, attemptCount, nextAttemptAt } }: { readonly row: DeliveryRecord }) {
  if (!lastAttempt) return <span class="dim">{attemptCount === 0 ? 'No attempt yet' : '—'}</span>
  return (
    <span class="stack">
      <span class={isGood(lastAttempt) ? undefined : 'bad-words'}>{lastWords(lastAttempt)}</span>
      {(attemptCount > 1 || nextAttemptAt !== null) && (
        <small>
          {attemptCount > 1 && `Attempt ${attemptCount}`}
          {attemptCount > 1 && nextAttemptAt !== null && ' · '}
          {nextAttemptAt !== null && (
            <>
              next <Ago at={nextAttemptAt} />
            </>
          )}
        </small>
      )}
    </span>
  )
}

export const deliveryColumns: readonly Column<DeliveryRecord>[] = [
  { title: 'Event', cell: (row) => <Event row={row} /> },
  { title: 'About', cell: ({ subject }) => <About subject={subject} /> },
  { title: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
  { title: 'Last answer', cell: (row) => <LastAnswer row={row} /> },
  {
    title: `Time, ${zone()}`,
    cell: ({ createdAt }) => (
      <span class="stack">
        <Logged at={createdAt} />
        <small>
          <Ago at={createdAt} />
        </small>
      </span>
    ),
  },
]
