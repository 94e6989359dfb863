import { useState } from 'preact/hooks'
import type { CallRecord, ForwardError } from '../../../../contract/records/call.ts'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import { phone, sentence } from '../../core/format.ts'
import { useRepeat } from '../../core/repeat.ts'
import { Badge } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { callTones, contactOf, forwardProblem, isLive, lasting } from './words.ts'

export const CallBadge = ({ status }: Pick<CallRecord, 'status'>) => (
  <Badge tone={callTones[status]}>{status === 'ACCEPTED' ? 'On the line' : sentence(status)}</Badge>
)

/** How long a live call has been in its state, updated every second. */
function Since({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now())
  useRepeat(1_000, () => setNow(Date.now()))
  return <span>{lasting((now - Date.parse(at)) / 1_000)}</span>
}

export const Duration = ({ call }: { readonly call: CallRecord }) => {
  if (isLive(call)) return <Since at={call.acceptedAt ?? call.ringingAt ?? call.createdAt} />
  const { durationSeconds: seconds } = call
  return <span class={seconds === null ? 'dim' : undefined}>{seconds === null ? '—' : lasting(seconds)}</span>
}

const ForwardProblem = ({ error }: { readonly error: ForwardError | null }) =>
  error && (
    <span class="forward-problem">
      <Icon name="warning" />
      {forwardProblem(error).cause}
    </span>
  )

export function callColumns(numbers: readonly NumberRecord[]): Column<CallRecord>[] {
  const ours = new Map(numbers.map(({ id, number }) => [id, phone(number)]))
  return [
    {
      title: 'Contact',
      cell: (call) => {
        const { name, number } = contactOf(call)
        return (
          <span class="stack">
            {name}
            {name !== number && <small>{number}</small>}
          </span>
        )
      },
    },
    {
      title: 'Direction',
      isMinor: true,
      cell: ({ direction }) => sentence(direction),
    },
    {
      title: 'State',
      cell: ({ status, lastForwardError }) => (
        <span class="stack call-state">
          <CallBadge status={status} />
          <ForwardProblem error={lastForwardError} />
        </span>
      ),
    },
    { title: 'Number', isMinor: true, cell: ({ numberId }) => ours.get(numberId) ?? '—' },
    { title: 'Length', isMinor: true, align: 'end', cell: (call) => <Duration call={call} /> },
  ]
}

export const began: Column<CallRecord> = {
  title: 'Began',
  cell: ({ createdAt }) => <Ago at={createdAt} />,
}
