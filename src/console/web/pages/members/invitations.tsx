// Invitations: the form that creates one, its link, shown once, and the list of open ones.
import { useState } from 'preact/hooks'
import type { InvitationRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { day, exact, now } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { ROOT } from '../../core/router.ts'
import { can, type Role } from '../../core/session.ts'
import { Badge } from '../../parts/badge.tsx'
import { Confirm, FormDialog } from '../../parts/dialog.tsx'
import { Section } from '../../parts/facts.tsx'
import { Field } from '../../parts/field.tsx'
import { Menu } from '../../parts/menu.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { RoleChoice } from './roles.tsx'
import { titleOf } from './words.ts'

export interface Invitation extends InvitationRecord {
  readonly role: Role
}

export interface Invited extends Invitation {
  readonly token: string
}

/** With `again`, the form starts with that invitation's values, and the new invitation replaces it. */
export function InviteForm({
  again,
  invitations,
  onDone,
  onClose,
}: {
  readonly again: Invitation | undefined
  readonly invitations: readonly Invitation[]
  onDone(invited: Invited): void
  onClose(): void
}) {
  const [email, setEmail] = useState(again?.email ?? '')
  const [role, setRole] = useState<Role>(again?.role ?? 'AGENT')
  const action = useAction()
  const { error } = action
  const isOpen = invitations.some((one) => one.email.toLowerCase() === email.trim().toLowerCase())
  const submit = () =>
    action.run(async () => onDone(await api.post<Invited>(inWorkspace('/invitations'), { email, role })))
  return (
    <FormDialog
      title={again ? 'Make a new link' : 'Invite a member'}
      submit="Make invitation link"
      isBusy={action.isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Field
        label="E-mail"
        type="email"
        hint={
          isOpen
            ? 'There is an open invitation to this address. Its link ends with the new one.'
            : 'Nothing is sent to it: you pass the link on yourself.'
        }
        value={email}
        error={error?.of('email')}
        onInput={setEmail}
      />
      <RoleChoice role={role} error={error?.of('role')} onChange={setRole} />
    </FormDialog>
  )
}

export const InvitationLink = ({
  invited: { email, expiresAt, token },
  onClose,
}: {
  readonly invited: Invited
  onClose(): void
}) => (
  <SecretOnce
    title="Invitation link"
    label={email}
    secret={`${location.origin}${ROOT}/invite#${token}`}
    keep="Copy it now and pass it on. It cannot be shown again; for a new one, invite once more."
    warning={`Whoever opens it first joins in the name of ${email}. It is good once, until ${day(expiresAt)}.`}
    done="I have copied it"
    onClose={onClose}
  />
)

export function OpenInvitations({
  invitations,
  onRenew,
  onRevoke,
}: {
  readonly invitations: readonly Invitation[]
  onRenew(invitation: Invitation): void
  onRevoke(invitation: Invitation): void
}) {
  if (invitations.length === 0) return null
  const actions: Column<Invitation> = {
    title: 'Actions',
    isTitleHidden: true,
    align: 'end',
    cell: (invitation) => (
      <Menu
        label={`Actions for ${invitation.email}`}
        items={[
          { label: 'Make a new link', onSelect: () => onRenew(invitation) },
          { label: 'Revoke', isDanger: true, onSelect: () => onRevoke(invitation) },
        ]}
      />
    ),
  }
  return (
    <Section title="Open invitations">
      <Table
        label="Open invitations"
        columns={can('OWNER') ? [...columns, actions] : columns}
        rows={invitations}
      />
    </Section>
  )
}

const columns: readonly Column<Invitation>[] = [
  {
    title: 'E-mail',
    cell: ({ email, invitedBy, createdAt }) => (
      <span class="stack">
        <strong>{email}</strong>
        <small>
          By {invitedBy.name}, <Ago at={createdAt} />
        </small>
      </span>
    ),
  },
  {
    title: 'Role',
    cell: ({ role }) => <Badge tone={role === 'OWNER' ? 'info' : 'neutral'}>{titleOf(role)}</Badge>,
  },
  {
    title: 'Expires',
    cell: ({ expiresAt }) =>
      Date.parse(expiresAt) <= now.value ? (
        <Badge tone="warn">Expired</Badge>
      ) : (
        <time dateTime={expiresAt} title={exact(expiresAt)}>
          {day(expiresAt)}
        </time>
      ),
  },
]

export const RevokeInvitation = ({
  invitation,
  onDone,
  onClose,
}: {
  readonly invitation: Invitation
  onDone(): void
  onClose(): void
}) => (
  <Confirm
    title="Revoke the invitation?"
    action="Revoke invitation"
    work={() => api.delete(inWorkspace(`/invitations/${invitation.id}`))}
    onDone={onDone}
    onClose={onClose}
  >
    <p>The link that {invitation.email} got lets nobody in any more. You can invite the address again.</p>
  </Confirm>
)
