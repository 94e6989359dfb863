// Replays failed or held deliveries. The first submit only counts them; the next one replays them.
import { useEffect, useState } from 'preact/hooks'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Choices, Select } from '../../parts/field.tsx'

type State = 'FAILED' | 'HELD'

const stateChoices = [
  { value: 'FAILED', label: 'Failed', hint: 'Six attempts, none of them taken.' },
  { value: 'HELD', label: 'Held', hint: 'They came while the endpoint was off.' },
] as const

const HOUR_MS = 3_600_000
const spans = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last day' },
  { value: '168', label: 'The last week' },
  { value: '', label: 'All that is kept' },
]

interface Props {
  readonly endpoints: readonly EndpointRecord[]
  readonly endpointId: string | undefined
  /** The filter's time: the first choice, and preselected. */
  readonly since: string | undefined
  onClose(): void
  onDone(): void
}

export function ReplayMany({ endpoints, since: filteredSince, onClose, onDone, ...props }: Props) {
  const [endpointId, setEndpointId] = useState(props.endpointId ?? endpoints[0]?.id ?? '')
  const [states, setStates] = useState<readonly State[]>(['FAILED'])
  const [hours, setHours] = useState(filteredSince === undefined ? '24' : 'filter')
  const [count, setCount] = useState<number>()
  const action = useAction()
  const since = () => {
    if (hours === 'filter') return filteredSince
    return hours === '' ? undefined : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
  }
  const ask = (dryRun: boolean) =>
    api.post<{ count: number }>(inWorkspace(`/endpoints/${endpointId}/replay`), {
      states,
      since: since(),
      dryRun,
    })
  // A changed choice makes the count invalid.
  useEffect(() => setCount(undefined), [endpointId, states, hours])
  const submit = () =>
    action.run(async () => {
      if (!count) return setCount((await ask(true)).count)
      const replayed = await ask(false)
      say(`${plural(replayed.count, 'delivery is', 'deliveries are')} on the way.`)
      onDone()
    })
  const choices =
    filteredSince === undefined ? spans : [{ value: 'filter', label: 'Since the filter’s time' }, ...spans]
  return (
    <FormDialog
      title="Replay many"
      submit={count ? `Replay ${plural(count, 'delivery', 'deliveries')}` : 'Count them first'}
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Select
        label="Endpoint"
        value={endpointId}
        options={endpoints.map(({ id, name, enabled }) => ({
          value: id,
          label: enabled ? name : `${name} (off)`,
        }))}
        onChange={setEndpointId}
      />
      <Choices label="Deliveries" options={stateChoices} chosen={states} onChange={setStates} />
      <Select label="From" value={hours} options={choices} onChange={setHours} />
      <p role="status">
        {count === undefined ? 'Nothing is sent before you have seen how many they are.' : found(count)}
      </p>
    </FormDialog>
  )
}

const found = (count: number): string =>
  count === 0
    ? 'None fits. Choose another time or state.'
    : `${plural(count, 'delivery fits', 'deliveries fit')}. Each gets one more attempt, with the same bytes.`
