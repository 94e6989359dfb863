// What is done with the selected deliveries: they are replayed, and the bar says which were not and why.
import { useState } from 'preact/hooks'
import type { DeliveryRecord, EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { Note, Problem } from '../../parts/states.tsx'
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
  onTurnOn(endpoint: EndpointRecord): void
  onClear(): void
  /** With the ids that were not replayed: they stay selected. */
  onDone(refused: readonly string[]): void
}

export function ReplayChosen({ chosen, endpoints, onTurnOn, onClear, onDone }: Props) {
  const action = useAction()
  const [refused, setRefused] = useState<readonly string[]>([])
  const off = endpoints.filter(
    ({ id, enabled }) => !enabled && chosen.some(({ endpointId }) => endpointId === id),
  )
  const count = plural(chosen.length, 'delivery', 'deliveries')
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
    <section class="selected-bar" aria-label="Selected deliveries">
      <div class="selected-line">
        <strong role="status">{chosen.length === 0 ? '' : `${count} selected`}</strong>
        {chosen.length > 0 && (
          <>
            {chosen.length <= MOST ? (
              <Button icon="replay" isBusy={action.isBusy} onClick={() => void replay()}>
                Replay {count}
              </Button>
            ) : (
              <span class="dim">At most {MOST} are replayed at once.</span>
            )}
            <Button look="quiet" onClick={onClear}>
              Clear selection
            </Button>
          </>
        )}
      </div>
      {off.map((endpoint) => (
        <Note key={endpoint.id} tone="warn">
          <p>
            {endpoint.name} is off: what goes there is replayed once it is on.{' '}
            <Button look="link" onClick={() => onTurnOn(endpoint)}>
              Turn on {endpoint.name}
            </Button>
          </p>
        </Note>
      ))}
      <div role="status">
        {refused.length > 0 && (
          <Note tone="warn">
            {refusedWords(refused).map((words) => (
              <p key={words}>{words}</p>
            ))}
          </Note>
        )}
      </div>
      <Problem error={action.error} />
    </section>
  )
}
