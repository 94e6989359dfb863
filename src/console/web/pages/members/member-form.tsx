import { useState } from 'preact/hooks'
import type { MemberRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import type { Role } from '../../core/session.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { RoleChoice } from './roles.tsx'

export interface Member extends MemberRecord {
  readonly role: Role
}

export function MemberForm({
  member,
  onDone,
  onClose,
}: {
  readonly member: Member
  onDone(member: Member): void
  onClose(): void
}) {
  const [role, setRole] = useState(member.role)
  const action = useAction()
  const submit = () =>
    action.run(async () => {
      await api.patch(inWorkspace(`/members/${member.operatorId}`), { role })
      onDone({ ...member, role })
    })
  return (
    <FormDialog
      title={`Change the role of ${member.name}`}
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <RoleChoice role={role} error={action.error?.of('role')} onChange={setRole} />
    </FormDialog>
  )
}
