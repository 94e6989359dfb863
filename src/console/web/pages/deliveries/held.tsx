import type { DeliveryDetail, EndpointRecord } from '../../../../contract/records/console.ts'
import { can } from '../../core/session.ts'
import { Button } from '../../parts/button.tsx'
import { Note } from '../../parts/states.tsx'
import { offWords } from './words.ts'

/** Why a delivery is not sent, and what to do about it. */
export function WhyHeld({
  delivery: { state },
  endpoint,
  onTurnOn,
}: {
  readonly delivery: Pick<DeliveryDetail, 'state'>
  readonly endpoint: EndpointRecord | undefined
  onTurnOn(endpoint: EndpointRecord): void
}) {
  const off = endpoint && offWords(endpoint)
  if (!endpoint) return <Note>The endpoint was deleted, so that this delivery cannot be sent any more.</Note>
  if (off === undefined)
    return state === 'HELD' ? (
      <Note tone="warn">
        It came while {endpoint.name} was off, and was held. {endpoint.name} is on again: replay it to send
        it.
      </Note>
    ) : null
  return (
    <Note tone="warn">
      <p>
        <strong>{off}</strong>{' '}
        {state === 'HELD'
          ? 'This delivery is held until you turn it on and replay what was held.'
          : 'Nothing can be replayed to it until you turn it on.'}
      </p>
      {can('ADMIN') && (
        <div class="note-actions">
          <Button onClick={() => onTurnOn(endpoint)}>Turn on {endpoint.name}</Button>
        </div>
      )}
    </Note>
  )
}
