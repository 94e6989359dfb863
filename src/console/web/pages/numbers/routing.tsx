// The form for routing replies and calls of one number. It shows what the rules forbid and what to do then.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { endpointOptions } from '../../core/endpoint-names.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Check, Select } from '../../parts/field.tsx'
import { effectOf } from './effect.ts'

interface Props {
  readonly record: NumberRecord
  readonly endpoints: readonly EndpointRecord[]
  onDone(changed: NumberRecord): void
  onClose(): void
}

export function Routing({ record, endpoints, onDone, onClose }: Props) {
  const [endpointId, setEndpointId] = useState(record.replyRouting?.endpointId ?? '')
  const [forwards, setForwards] = useState(record.forwardCalls)
  const [isDefault, setDefault] = useState(record.isDefault)
  const action = useAction()
  const endpoint = endpoints.find(({ id }) => id === endpointId)
  const canForward = endpoint?.events.includes('call.ringing') === true
  // Only what changed, because the server asks for the password before it changes where messages and calls go.
  const changes = {
    ...(endpointId !== (record.replyRouting?.endpointId ?? '') && { endpointId: endpointId || null }),
    ...((canForward && forwards) !== record.forwardCalls && { forwardCalls: canForward && forwards }),
    ...(isDefault !== record.isDefault && { isDefault }),
  }
  const submit = () =>
    action.run(async () => {
      if (Object.keys(changes).length === 0) return onDone(record)
      onDone(await api.patch<NumberRecord>(inWorkspace(`/numbers/${record.id}`), changes))
    })
  return (
    <FormDialog
      title={`Set up ${record.number}`}
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Select
        label="Replies go to"
        hint="Only endpoints with message.received among their events can take replies."
        value={endpointId}
        options={[{ value: '', label: noneOf(endpoints) }, ...optionsOf(endpoints)]}
        error={action.error?.of('endpointId')}
        onChange={setEndpointId}
      />
      <p role="status" class="hint">
        {effectOf({ from: record.replyRouting?.endpointId ?? '', to: endpointId, endpoints })}
      </p>
      <Check
        isSwitch
        label="Forward calls"
        hint={forwardHint(endpoint)}
        checked={canForward && forwards}
        disabled={!canForward}
        onChange={setForwards}
      />
      <Check
        isSwitch
        label="Default sender"
        hint={
          record.isDefault
            ? 'Make another number the default to change this.'
            : 'Messages that name no number are sent from the default.'
        }
        checked={isDefault}
        disabled={record.isDefault}
        onChange={setDefault}
      />
    </FormDialog>
  )
}

const takesMessages = ({ events }: EndpointRecord): boolean => events.includes('message.received')

const noneOf = (endpoints: readonly EndpointRecord[]): string =>
  endpoints.some(takesMessages) ? 'Every endpoint that takes messages' : 'No endpoint'

const optionsOf = (endpoints: readonly EndpointRecord[]) =>
  endpointOptions(endpoints).map(({ value, label }, index) => {
    const endpoint = endpoints[index]
    const takes = endpoint !== undefined && takesMessages(endpoint)
    const notes = [endpoint?.enabled === false && 'off', !takes && 'does not take messages'].filter(Boolean)
    return { value, label: [label, ...notes].join(', '), disabled: !takes }
  })

function forwardHint(endpoint: EndpointRecord | undefined): ComponentChildren {
  if (!endpoint) return 'Choose where replies go first: calls are forwarded to the same endpoint.'
  if (endpoint.events.includes('call.ringing'))
    return 'A call rings at the endpoint as call.ringing, at once and once; nobody else answers it.'
  return (
    <>
      {endpoint.name} does not take call.ringing.{' '}
      <a href={hrefOf('endpoints', endpoint.id)}>Add it to its events</a> first.
    </>
  )
}
