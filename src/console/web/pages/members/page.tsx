import { useState } from 'preact/hooks'
import { api, inWorkspace } from '../../core/api.ts'
import { useResource } from '../../core/load.ts'
import { can, loadMe, me } from '../../core/session.ts'
import { useNew } from '../../core/starts-new.ts'
import { say, sayError } from '../../core/toasts.ts'
import { Badge, Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import {
  type Invitation,
  InvitationLink,
  type Invited,
  InviteForm,
  OpenInvitations,
  RevokeInvitation,
} from './invitations.tsx'
import { type Member, MemberForm } from './member-form.tsx'
import { RolesExplained } from './roles.tsx'
import { titleOf, withArticle } from './words.ts'

type Open =
  | { readonly type: 'invite'; readonly again?: Invitation }
  | { readonly type: 'invited'; readonly invited: Invited }
  | { readonly type: 'revoke'; readonly invitation: Invitation }
  | { readonly type: 'change' | 'remove' | 'disable' | 'enable'; readonly member: Member }

interface All<Row> {
  readonly data: readonly Row[]
}

const isPlatformOwner = (): boolean => me.value?.operator.platformOwner === true

const isMe = ({ operatorId }: Member): boolean => operatorId === me.value?.operator.id

export function Page() {
  const members = useResource<All<Member>>(inWorkspace('/members'))
  const invitations = useResource<All<Invitation>>(inWorkspace('/invitations'))
  const [open, setOpen] = useState<Open>()
  useNew(() => setOpen({ type: 'invite' }), can('OWNER'))
  const rows = members.data?.data.map((member) => ({ ...member, id: member.operatorId }))
  const reload = () => {
    members.reload()
    invitations.reload()
  }
  const error = members.error ?? invitations.error
  return (
    <>
      <PageHeader
        title="Members"
        intro="Who may use this workspace in the console, and what each may do."
        actions={
          can('OWNER') && (
            <Button look="primary" icon="plus" onClick={() => setOpen({ type: 'invite' })}>
              Invite member
            </Button>
          )
        }
      />
      <div class="section">
        {error && <ErrorState error={error} onRetry={reload} />}
        {!rows && !error && <Skeleton rows={3} />}
        {rows && (
          <Table
            label="Members"
            columns={can('OWNER') || isPlatformOwner() ? [...columns, actionsWith(setOpen)] : columns}
            rows={rows}
          />
        )}
      </div>
      <OpenInvitations
        invitations={invitations.data?.data ?? []}
        onRenew={(again) => setOpen({ type: 'invite', again })}
        onRevoke={(invitation) => setOpen({ type: 'revoke', invitation })}
      />
      <RolesExplained />
      <Opened open={open} invitations={invitations.data?.data ?? []} onOpen={setOpen} onChange={reload} />
    </>
  )
}

function Opened({
  open,
  invitations,
  onOpen,
  onChange,
}: {
  readonly open: Open | undefined
  readonly invitations: readonly Invitation[]
  onOpen(open: Open | undefined): void
  onChange(): void
}) {
  const onClose = () => onOpen(undefined)
  const done = (text: string, member?: Member) => {
    say(text)
    onClose()
    // The operator's own role has changed, so load it again before the pages update.
    if (member && isMe(member)) void loadMe().then(onChange, sayError)
    else onChange()
  }
  switch (open?.type) {
    case undefined:
      return null
    case 'invite':
      return (
        <InviteForm
          again={open.again}
          invitations={invitations}
          onDone={(invited) => {
            onChange()
            onOpen({ type: 'invited', invited })
          }}
          onClose={onClose}
        />
      )
    case 'invited':
      return <InvitationLink invited={open.invited} onClose={onClose} />
    case 'revoke':
      return (
        <RevokeInvitation
          invitation={open.invitation}
          onDone={() => done(`The invitation of ${open.invitation.email} is revoked.`)}
          onClose={onClose}
        />
      )
    case 'change':
      return (
        <MemberForm
          member={open.member}
          onDone={(member) => done(`${member.email} is ${withArticle(titleOf(member.role))} now.`, member)}
          onClose={onClose}
        />
      )
    case 'disable':
    case 'enable':
      return (
        <Disable
          member={open.member}
          isDisabled={open.type === 'disable'}
          onDone={() =>
            done(`${open.member.email} is ${open.type === 'disable' ? 'disabled' : 'enabled'} everywhere.`)
          }
          onClose={onClose}
        />
      )
    case 'remove':
      return (
        <Remove
          member={open.member}
          onDone={() => done(`${open.member.email} is no member any more.`, open.member)}
          onClose={onClose}
        />
      )
  }
}

function Remove({ member, onDone, onClose }: { readonly member: Member; onDone(): void; onClose(): void }) {
  return (
    <Confirm
      title={`Remove ${member.name}?`}
      action="Remove member"
      work={() => api.delete(inWorkspace(`/members/${member.operatorId}`))}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {isMe(member) ? 'You' : member.email} can no longer open this workspace from the next click on. Keys
        and what was done stay as they are; open invitations that an owner made end.
      </p>
    </Confirm>
  )
}

function Disable({
  member,
  isDisabled,
  onDone,
  onClose,
}: {
  readonly member: Member
  readonly isDisabled: boolean
  onDone(): void
  onClose(): void
}) {
  const verb = isDisabled ? 'disable' : 'enable'
  return (
    <Confirm
      title={isDisabled ? `Disable ${member.name} everywhere?` : `Enable ${member.name} again?`}
      action={isDisabled ? 'Disable operator' : 'Enable operator'}
      look={isDisabled ? 'danger' : 'primary'}
      work={() => api.post(inWorkspace(`/members/${member.operatorId}/${verb}`))}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {isDisabled
          ? 'All sessions end at once, in every workspace, and nobody signs in with this account. Roles stay.'
          : 'The account can sign in again, in the roles that it has.'}
      </p>
    </Confirm>
  )
}

const columns: readonly Column<Member>[] = [
  {
    title: 'Name',
    cell: (member) => (
      <span class="stack">
        <span class="inline">
          <strong>{member.name}</strong> {isMe(member) && <Tag>You</Tag>}
          {member.disabledAt !== null && <Tag>Disabled</Tag>}
          {member.secondFactor === false && <Tag>No second factor</Tag>}
        </span>
        <span class="inline">
          <small>{member.email}</small>
          {!member.verified && (
            <span title="The account came by an invitation. Nobody who runs the installation has verified whose address it is.">
              <Tag>Not verified</Tag>
            </span>
          )}
        </span>
      </span>
    ),
  },
  {
    title: 'Role',
    cell: ({ role }) => <Badge tone={role === 'OWNER' ? 'info' : 'neutral'}>{titleOf(role)}</Badge>,
  },
  { title: 'Added', isMinor: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

const actionsWith = (onOpen: (open: Open) => void): Column<Member> => ({
  title: 'Actions',
  isTitleHidden: true,
  align: 'end',
  cell: (member) => (
    <Menu
      label={`Actions for ${member.name}`}
      items={[...itemsOfOwner(member, onOpen), ...itemsOfPlatform(member, onOpen)]}
    />
  ),
})

const itemsOfOwner = (member: Member, onOpen: (open: Open) => void) =>
  can('OWNER')
    ? [
        { label: 'Change role', onSelect: () => onOpen({ type: 'change', member }) },
        { label: 'Remove', isDanger: true, onSelect: () => onOpen({ type: 'remove', member }) },
      ]
    : []

const itemsOfPlatform = (member: Member, onOpen: (open: Open) => void) => {
  if (!isPlatformOwner() || isMe(member)) return []
  return member.disabledAt === null
    ? [{ label: 'Disable everywhere', isDanger: true, onSelect: () => onOpen({ type: 'disable', member }) }]
    : [{ label: 'Enable', onSelect: () => onOpen({ type: 'enable', member }) }]
}
