import { useState } from 'preact/hooks'
import type { WorkspaceDetail } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { can } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'

interface Props {
  readonly record: WorkspaceDetail
  onChange(record: WorkspaceDetail): void
}

export function Name(props: Props) {
  const [isRenaming, setRenaming] = useState(false)
  return (
    <span class="apart">
      {props.record.name}
      {can('OWNER') && <Button onClick={() => setRenaming(true)}>Rename</Button>}
      {isRenaming && <Rename {...props} onClose={() => setRenaming(false)} />}
    </span>
  )
}

function Rename({ record, onChange, onClose }: Props & { onClose(): void }) {
  const [name, setName] = useState(record.name)
  const action = useAction()
  const submit = async () => {
    const isDone = await action.run(async () =>
      onChange(await api.patch<WorkspaceDetail>(inWorkspace(''), { name })),
    )
    if (!isDone) return
    say('The workspace is renamed.')
    onClose()
  }
  return (
    <FormDialog
      title="Rename the workspace"
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Field
        label="Name"
        hint="Members see it; customers never do."
        value={name}
        error={action.error?.of('name')}
        onInput={setName}
        maxLength={100}
      />
    </FormDialog>
  )
}
