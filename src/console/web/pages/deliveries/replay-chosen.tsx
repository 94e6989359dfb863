// What is done with the selected deliveries: they are replayed, and the bar says which were not and why.
import { useState } from 'preact/hooks'
import type { DeliveryRecord, EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { count, plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/states.tsx'
import { refusedWords } from './words.ts'

/** The server takes as many at once. */
const MOST = 200

interface Outcome {
  readonly replayed: readonly string[]
  readonly refused: readonly { readonly id: string; readonly reason: string }[]
}

interface Props {
  readonly chosen: readonly DeliveryRecord[]
  readonly endpoints: readonly EndpointRecord[]
  /** How many rows could be selected. */
  readonly shown: number
  onTurnOn(endpoint: EndpointRecord): void
  onAll(): void
  onClear(): void
  /** With the ids that were not replayed: they stay selected. */
  onDone(refused: readonly string[]): void
}

/** Floats over the end of the list, so that nothing moves when the first row is selected. */
export function ReplayChosen({ chosen, endpoints, shown, onTurnOn, onAll, onClear, onDone }: Props) {
  const action = useAction()
  const [refused, setRefused] = useState<readonly string[]>([])
  const off = endpoints.filter(
    ({ id, enabled }) => !enabled && chosen.some(({ endpointId }) => endpointId === id),
  )
  const replay = () =>
    action.run(async () => {
      const ids = chosen.map(({ id }) => id)
      const outcome = await api.post<Outcome>(inWorkspace('/deliveries/replay'), { ids })
      setRefused(outcome.refused.map(({ reason }) => reason))
      if (outcome.replayed.length > 0)
        say(`${plural(outcome.replayed.length, 'delivery is', 'deliveries are')} on the way.`)
      onDone(outcome.refused.map(({ id }) => id))
    })
  return (
    <section
      class={chosen.length === 0 ? 'selected-bar' : 'selected-bar open'}
      aria-label="Selected deliveries"
    >
      <div role="status">
        {chosen.length > 0 &&
          refusedWords(refused).map((words) => (
            <p key={words} class="bad-words">
              {words}
            </p>
          ))}
      </div>
      <Problem error={action.error} />
      {off.map((endpoint) => (
        <p key={endpoint.id} class="inline">
          <span>{endpoint.name} is off: nothing can be replayed to it.</span>
          <Button onClick={() => onTurnOn(endpoint)}>Turn on {endpoint.name}</Button>
        </p>
      ))}
      <div class="selected-line">
        <strong role="status">{chosen.length === 0 ? '' : `${count(chosen.length)} selected`}</strong>
        {chosen.length > 0 && (
          <>
            <Button look="quiet" onClick={onClear}>
              Clear
            </Button>
            {chosen.length < shown && (
              <Button look="quiet" onClick={onAll}>
                Select all {count(shown)}
              </Button>
            )}
            {chosen.length <= MOST ? (
              <Button look="primary" icon="replay" isBusy={action.isBusy} onClick={() => void replay()}>
                Replay {plural(chosen.length, 'delivery', 'deliveries')}
              </Button>
            ) : (
              <span class="dim">At most {MOST} are replayed at once.</span>
            )}
          </>
        )}
      </div>
    </section>
  )
}
