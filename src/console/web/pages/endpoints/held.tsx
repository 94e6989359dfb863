// Events that were held while an endpoint was off: replays or discards them, after showing their count.
import { useEffect, useState } from 'preact/hooks'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { say, sayError } from '../../core/toasts.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Note, Problem } from '../../parts/states.tsx'
import { offWords } from '../deliveries/words.ts'

interface Props {
  readonly record: EndpointRecord
  onTurnOn(): void
  onDone(): void
}

export function Held({ record, onTurnOn, onDone }: Props) {
  const [isDiscarding, setDiscarding] = useState(false)
  const replaying = useAction()
  const off = offWords(record)
  if (record.heldCount === 0)
    return off === undefined ? null : (
      <Note tone="warn">
        <p>
          <strong>{off}</strong> What happens meanwhile is held.
        </p>
        {can('ADMIN') && (
          <div class="note-actions">
            <Button onClick={onTurnOn}>Turn on</Button>
          </div>
        )}
      </Note>
    )
  const held = plural(record.heldCount, 'event')
  const replay = () =>
    replaying.run(async () => {
      const body = { states: ['HELD'] }
      const { count } = await api.post<{ count: number }>(inWorkspace(`/endpoints/${record.id}/replay`), body)
      say(`${plural(count, 'event is', 'events are')} on the way.`)
      onDone()
    })
  return (
    <Note tone="warn">
      <p>
        <strong>{held} held.</strong>{' '}
        {off === undefined
          ? 'They came while the endpoint was off. Replay them in their order, or discard them.'
          : `${off} Turn it on, then replay or discard what was held.`}
      </p>
      {can('ADMIN') && (
        <div class="note-actions">
          {!record.enabled && (
            <Button look="primary" onClick={onTurnOn}>
              Turn on
            </Button>
          )}
          {record.enabled && (
            <Button icon="replay" isBusy={replaying.isBusy} onClick={() => void replay()}>
              Replay {held}
            </Button>
          )}
          <Button onClick={() => setDiscarding(true)}>Discard {held}</Button>
          <LinkButton look="link" href={`${hrefOf('deliveries')}?endpointId=${record.id}&state=HELD`}>
            Show them
          </LinkButton>
        </div>
      )}
      <Problem error={replaying.error} />
      {isDiscarding && (
        <Discard
          endpointId={record.id}
          known={record.heldCount}
          onDone={() => {
            setDiscarding(false)
            onDone()
          }}
          onClose={() => setDiscarding(false)}
        />
      )}
    </Note>
  )
}

/** The page may be old, and events are held meanwhile: what is given up is counted anew. */
function Discard({
  endpointId,
  known,
  onDone,
  onClose,
}: {
  readonly endpointId: string
  readonly known: number
  onDone(): void
  onClose(): void
}) {
  const [found, setFound] = useState(known)
  const ask = (body: object) =>
    api.post<{ count: number }>(inWorkspace(`/endpoints/${endpointId}/discard`), body)
  useEffect(() => {
    ask({ dryRun: true }).then(({ count }) => setFound(count), sayError)
  }, [])
  return (
    <Confirm
      title={`Discard ${plural(found, 'event')}?`}
      action="Discard"
      work={async () => {
        const { count } = await ask({})
        say(`${plural(count, 'event')} discarded.`)
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <p>They are not sent. Each stays in the delivery log and can be replayed there one by one.</p>
    </Confirm>
  )
}
