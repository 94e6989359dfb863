import { useState } from 'preact/hooks'
import type { MemberRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../foundation/api.ts'
import { useAction } from '../../foundation/load.ts'
import type { Role } from '../../foundation/session.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { mayOf, roleOptions, titleOf } from './roles.tsx'

export interface Member extends MemberRecord {
  readonly role: Role
}

/** With a member it changes the role of that one, else it adds one. */
export function MemberForm({
  member,
  members,
  onDone,
  onClose,
}: {
  readonly member: Member | undefined
  readonly members: readonly Member[]
  onDone(member: Member): void
  onClose(): void
}) {
  const [email, setEmail] = useState(member?.email ?? '')
  const [role, setRole] = useState<Role>(member?.role ?? 'AGENT')
  const action = useAction()
  const { error } = action
  const known = members.find((one) => one.email.toLowerCase() === email.trim().toLowerCase())
  const submit = () =>
    action.run(async () => {
      const answer = await api.post<{ operatorId: string }>(inWorkspace('/members'), { email, role })
      onDone({ name: email, createdAt: '', ...known, email: email.trim(), role, ...answer })
    })
  return (
    <FormDialog
      title={member ? `Change the role of ${member.name}` : 'Add a member'}
      submit={member ? 'Save' : 'Add member'}
      isBusy={action.isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      {!member && (
        <Field
          label="E-mail"
          type="email"
          hint={
            known
              ? `${known.name} is a member already (${titleOf(known.role)}); this changes the role.`
              : 'Of somebody who has an account in this installation.'
          }
          value={email}
          error={error?.of('email') ?? (error?.code === 'NOT_FOUND' ? 'has no account yet' : undefined)}
          onInput={setEmail}
        />
      )}
      <Select
        label="Role"
        hint={mayOf(role)}
        value={role}
        options={roleOptions}
        error={error?.of('role')}
        onChange={(value) => setRole(value as Role)}
      />
    </FormDialog>
  )
}
