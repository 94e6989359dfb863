// The actions on an endpoint, each with its dialog.
import { useState } from 'preact/hooks'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { say } from '../../core/toasts.ts'
import { Confirm, FormDialog } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { EndpointForm, type Warned, type WithSecret } from './endpoint-form.tsx'
import { NewSecret } from './secret.tsx'

export type Opened =
  | { readonly type: 'edit' | 'rotate' | 'enable' | 'disable' | 'delete' }
  | { readonly type: 'secret'; readonly changed: WithSecret }

interface Props {
  readonly record: EndpointRecord
  onClose(): void
  onChange(changed: EndpointRecord): void
  onSecret(changed: WithSecret): void
}

export function OpenedAction({ opened, ...props }: Props & { readonly opened: Opened }) {
  const { record, onChange, onClose } = props
  switch (opened.type) {
    case 'edit':
      return (
        <EndpointForm<Warned>
          record={record}
          onClose={onClose}
          onDone={(changed) => {
            say(changed.warning ? `Saved, but ${changed.warning}.` : `${changed.name} is saved.`)
            onChange(changed)
          }}
        />
      )
    case 'rotate':
      return <Rotate {...props} />
    case 'secret':
      return <NewSecret record={opened.changed} onClose={() => onChange(withoutSecret(opened.changed))} />
    case 'enable':
      return <TurnOn {...props} />
    case 'disable':
      return <TurnOff {...props} />
    case 'delete':
      return <Delete {...props} />
  }
}

/** Drops the secret from the record that stays in memory, because it must not be shown again. */
const withoutSecret = ({ secret: _, ...record }: WithSecret): EndpointRecord => record

const overlaps = [
  { value: '0', label: 'None: the old secret ends at once' },
  { value: '1', label: 'One hour' },
  { value: '6', label: 'Six hours' },
  { value: '24', label: 'A day' },
]

function Rotate({ record, onClose, onSecret }: Props) {
  const [hours, setHours] = useState('1')
  const action = useAction()
  return (
    <FormDialog
      title={`Rotate the secret of ${record.name}`}
      submit="Rotate secret"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() =>
        void action.run(async () =>
          onSecret(
            await api.post<WithSecret>(inWorkspace(`/endpoints/${record.id}/rotate`), {
              overlapHours: Number(hours),
            }),
          ),
        )
      }
    >
      <p>The new secret signs every attempt from now on, and is shown once.</p>
      <Select
        label="Overlap"
        hint="During the overlap HTTPS requests carry a signature with the old secret too, so that your receiver can change over without losing an event."
        value={hours}
        options={overlaps}
        onChange={setHours}
      />
    </FormDialog>
  )
}

export function TurnOn({ record, onClose, onChange }: Pick<Props, 'record' | 'onClose' | 'onChange'>) {
  const action = useAction()
  return (
    <FormDialog
      title={`Turn on ${record.name}?`}
      submit="Turn on"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() =>
        void action.run(async () => {
          onChange(await api.post<EndpointRecord>(inWorkspace(`/endpoints/${record.id}/enable`)))
          say(`${record.name} is on.`)
        })
      }
    >
      <p>New events are sent again, and the count of failures begins at 0.</p>
      {record.heldCount > 0 && (
        <p>
          {plural(record.heldCount, 'event')} held in the meantime stay held: you choose afterwards whether to
          replay or to discard them.
        </p>
      )}
    </FormDialog>
  )
}

const TurnOff = ({ record, onClose, onChange }: Props) => (
  <Confirm
    title={`Turn off ${record.name}?`}
    action="Turn off"
    work={async () =>
      onChange(await api.post<EndpointRecord>(inWorkspace(`/endpoints/${record.id}/disable`)))
    }
    onDone={() => say(`${record.name} is off.`)}
    onClose={onClose}
  >
    <p>Nothing is sent to it any more, waiting retries included. Its events are held until you turn it on.</p>
    <p>Calls cannot wait: those that should be forwarded to it are not answered.</p>
  </Confirm>
)

const Delete = ({ record, onClose }: Props) => (
  <Confirm
    title={`Delete ${record.name}?`}
    action="Delete endpoint"
    work={() => api.delete(inWorkspace(`/endpoints/${record.id}`))}
    onDone={() => {
      say(`${record.name} is deleted.`)
      navigate(hrefOf('endpoints'), { replace: true })
    }}
    onClose={onClose}
  >
    <p>What still waits for it is discarded. This cannot be undone.</p>
  </Confirm>
)
