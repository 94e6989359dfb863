import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../../../contract/records/console.ts'
import type { Scope } from '../../../../contract/scopes.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Choices, Field, Select } from '../../parts/field.tsx'
import { bodyOf, changesOf } from './draft.ts'
import { scopeChoices } from './scopes.ts'

const DAY_MS = 86_400_000

const expiries = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

/** Edits `record`; without it, creates a new key. */
export function KeyForm<Answer extends KeyRecord>({
  record,
  onDone,
  onClose,
}: {
  readonly record?: KeyRecord
  onDone(answer: Answer): void
  onClose(): void
}) {
  const [name, setName] = useState(record?.name ?? '')
  const [scopes, setScopes] = useState<readonly Scope[]>(record?.scopes ?? [])
  const [rate, setRate] = useState(String(record?.requestsPerSecond ?? 100))
  const [ips, setIps] = useState(record?.allowedIps.join(', ') ?? '')
  const [days, setDays] = useState('')
  const action = useAction()
  const submit = async () => {
    const body = bodyOf({ name, scopes, rate, ips })
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    await action.run(async () =>
      onDone(
        record
          ? await api.patch<Answer>(inWorkspace(`/keys/${record.id}`), changesOf(record, body))
          : await api.post<Answer>(inWorkspace('/keys'), { ...body, expiresAt }),
      ),
    )
  }
  return (
    <FormDialog
      title={record ? 'Edit key' : 'Create an API key'}
      submit={record ? 'Save' : 'Create key'}
      isBusy={action.isBusy}
      error={action.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="What will use it, such as “orders service”."
        value={name}
        error={action.error?.of('name')}
        onInput={setName}
        maxLength={100}
      />
      <Choices
        label="Scopes"
        options={scopeChoices}
        chosen={scopes}
        error={action.error?.of('scopes')}
        onChange={setScopes}
      />
      <Field
        label="Allowed addresses"
        hint="Addresses or ranges such as 203.0.113.0/24, separated by commas. Empty allows all."
        value={ips}
        error={action.error?.of('allowedIps') ?? action.error?.of('allowedIps.0')}
        onInput={setIps}
      />
      <div class="columns">
        {!record && <Select label="Expires" value={days} options={expiries} onChange={setDays} />}
        <Field
          label="Requests a second"
          hint="0 sets no limit."
          type="number"
          min={0}
          max={100_000}
          value={rate}
          error={action.error?.of('requestsPerSecond')}
          onInput={setRate}
        />
      </div>
    </FormDialog>
  )
}
