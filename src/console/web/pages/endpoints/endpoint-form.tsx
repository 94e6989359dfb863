import { useState } from 'preact/hooks'
import type { EventKind } from '../../../../contract/events.ts'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Choices, Field } from '../../parts/field.tsx'
import { allEvents, eventChoices } from './events.ts'

/** `warning`: the address was accepted, but could not be checked completely. */
export type Warned = EndpointRecord & { readonly warning?: string }
export type WithSecret = Warned & { readonly secret: string }

/** Edits `record`; without it, creates a new endpoint. */
export function EndpointForm<Answer extends Warned>({
  record,
  onDone,
  onClose,
}: {
  readonly record?: EndpointRecord
  onDone(answer: Answer): void
  onClose(): void
}) {
  const [name, setName] = useState(record?.name ?? '')
  const [url, setUrl] = useState(record?.url ?? '')
  const [events, setEvents] = useState<readonly EventKind[]>(record?.events ?? allEvents)
  const action = useAction()
  const submit = () =>
    action.run(async () => {
      // Send only what changed. The server checks each address, and asks for the password before; and the events may be
      // other ones by now, which a colleague has chosen.
      const changes = {
        name,
        ...(url !== record?.url && { url }),
        ...(events.join() !== record?.events.join() && { events }),
      }
      onDone(
        record
          ? await api.patch<Answer>(inWorkspace(`/endpoints/${record.id}`), changes)
          : await api.post<Answer>(inWorkspace('/endpoints'), changes),
      )
    })
  return (
    <FormDialog
      title={record ? 'Edit endpoint' : 'Add a webhook endpoint'}
      submit={record ? 'Save' : 'Add endpoint'}
      isBusy={action.isBusy}
      error={action.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label="Name" value={name} error={action.error?.of('name')} onInput={setName} maxLength={100} />
      <Field
        label="Address"
        type="url"
        placeholder="https://example.com/events"
        hint="https:// for one request an event, wss:// for one socket that stays open."
        value={url}
        error={action.error?.of('url')}
        onInput={setUrl}
      />
      <Choices
        label="Events"
        options={eventChoices}
        chosen={events}
        error={action.error?.of('events')}
        onChange={setEvents}
      />
    </FormDialog>
  )
}
