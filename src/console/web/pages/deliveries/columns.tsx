import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import type { DeliveryState } from '../../../../contract/records/delivery.ts'
import { sentence } from '../../core/format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

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

export const deliveryColumns: readonly Column<DeliveryRecord>[] = [
  { title: 'Event', cell: ({ event }) => <code>{event}</code> },
  { title: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
  { title: 'Attempts', align: 'end', cell: ({ attemptCount }) => attemptCount },
  { title: 'Occurred', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: 'Next attempt', isMinor: true, cell: ({ nextAttemptAt }) => <Ago at={nextAttemptAt} /> },
  { title: 'Delivery', isMinor: true, cell: ({ id }) => <code class="dim">{id}</code> },
]
