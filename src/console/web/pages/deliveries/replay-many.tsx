// Replays failed or held deliveries of one endpoint. The first submit only counts them; the next one replays them. An
// endpoint that is off is turned on first.
import { useState } from 'preact/hooks'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { endpointOptions } from '../../core/endpoint-names.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Choices, Select } from '../../parts/field.tsx'
import { Note } from '../../parts/states.tsx'
import { offWords } from './words.ts'

type State = 'FAILED' | 'HELD'

const stateChoices = [
  { value: 'FAILED', label: 'Failed', hint: 'Six attempts, none of them taken.' },
  { value: 'HELD', label: 'Held', hint: 'They came while the endpoint was off.' },
] as const

const HOUR_MS = 3_600_000
const spans = [
  { value: '0.25', label: 'The last 15 minutes' },
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
  onTurnedOn(): void
  onClose(): void
  onDone(): void
}

export function ReplayMany(props: Props) {
  const { endpoints, since: filteredSince, onClose, onDone, onTurnedOn } = props
  const [endpointId, setEndpointId] = useState(props.endpointId ?? endpoints[0]?.id ?? '')
  const [states, setStates] = useState<readonly State[]>(['FAILED'])
  const [hours, setHours] = useState(filteredSince === undefined ? '24' : 'filter')
  const [counted, setCounted] = useState<{ readonly question: string; readonly count: number }>()
  const action = useAction()
  const endpoint = endpoints.find(({ id }) => id === endpointId)
  const off = endpoint && offWords(endpoint)
  const ask = (dryRun: boolean) =>
    api.post<{ count: number }>(inWorkspace(`/endpoints/${endpointId}/replay`), {
      states,
      since: sinceOf(hours, filteredSince),
      dryRun,
    })
  // A count is of what was asked, also if it comes after the next choice.
  const question = JSON.stringify([endpointId, states, hours])
  const count = counted?.question === question ? counted.count : undefined
  const submit = () =>
    action.run(async () => {
      if (off !== undefined) {
        await api.post(inWorkspace(`/endpoints/${endpointId}/enable`))
        say(`${endpoint?.name} is on.`)
        return onTurnedOn()
      }
      if (!count) return setCounted({ question, count: (await ask(true)).count })
      const replayed = await ask(false)
      say(`${plural(replayed.count, 'delivery is', 'deliveries are')} on the way.`)
      onDone()
    })
  const choices =
    filteredSince === undefined ? spans : [{ value: 'filter', label: 'Since the filter’s time' }, ...spans]
  return (
    <FormDialog
      title="Replay many"
      submit={off === undefined ? nextStep(count) : `Turn on ${endpoint?.name}`}
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Select
        label="Endpoint"
        value={endpointId}
        options={endpointOptions(endpoints).map((option, index) => ({
          ...option,
          label: endpoints[index]?.enabled ? option.label : `${option.label}, off`,
        }))}
        onChange={setEndpointId}
      />
      <div role="status" class="problem-place">
        {off !== undefined && (
          <Note tone="warn">
            {off} Nothing can be replayed to it. Turn it on first: what is held stays held until you replay
            it.
          </Note>
        )}
      </div>
      <Choices label="Deliveries" options={stateChoices} chosen={states} onChange={setStates} />
      <Select label="From" value={hours} options={choices} onChange={setHours} />
      {off === undefined && (
        <p role="status">
          {count === undefined ? 'Nothing is sent before you have seen how many they are.' : found(count)}
        </p>
      )}
    </FormDialog>
  )
}

const nextStep = (count: number | undefined): string =>
  count ? `Replay ${plural(count, 'delivery', 'deliveries')}` : 'Count them first'

function sinceOf(hours: string, filtered: string | undefined): string | undefined {
  if (hours === 'filter') return filtered
  return hours === '' ? undefined : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
}

const found = (count: number): string =>
  count === 0
    ? 'None fits. Choose another time or state.'
    : `${plural(count, 'delivery fits', 'deliveries fit')}. Each gets one more attempt, with the same bytes.`
