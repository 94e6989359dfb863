// For how many days the workspace keeps texts and files.
import { useState } from 'preact/hooks'
import type { WorkspaceDetail } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
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

export function ContentDays(props: Props) {
  const [isEditing, setEditing] = useState(false)
  const { contentDays } = props.record
  return (
    <span class="apart">
      {contentDays === null ? 'Without an end' : plural(contentDays, 'day')}
      {can('OWNER') && <Button onClick={() => setEditing(true)}>Change days</Button>}
      {isEditing && <Edit {...props} onClose={() => setEditing(false)} />}
    </span>
  )
}

function Edit({ record, onChange, onClose }: Props & { onClose(): void }) {
  const [days, setDays] = useState(record.contentDays?.toString() ?? '')
  const action = useAction()
  const submit = async () => {
    const contentDays = days.trim() === '' ? null : Number(days)
    const isDone = await action.run(async () =>
      onChange(await api.patch<WorkspaceDetail>(inWorkspace(''), { contentDays })),
    )
    if (!isDone) return
    say('The days are changed.')
    onClose()
  }
  return (
    <FormDialog
      title="Keep texts and files for"
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>
        Texts, variables and files of older messages are deleted. They cannot be brought back. Lists of
        campaigns keep their variables until the campaign is deleted.
      </p>
      <Field
        label="Days"
        type="number"
        min={1}
        max={3650}
        hint="Empty: without an end."
        value={days}
        error={action.error?.of('contentDays')}
        onInput={setDays}
      />
    </FormDialog>
  )
}
