import { useState } from 'preact/hooks'
import { api, inWorkspace } from '../../foundation/api.ts'
import { useResource } from '../../foundation/load.ts'
import { can, loadMe, me } from '../../foundation/session.ts'
import { say, sayError } from '../../foundation/toasts.ts'
import { Badge, Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { type Member, MemberForm } from './member-form.tsx'
import { RolesExplained, titleOf } from './roles.tsx'

type Open = { readonly type: 'add' } | { readonly type: 'change' | 'remove'; readonly member: Member }

const isMe = ({ operatorId }: Member): boolean => operatorId === me.value?.operator.id

export function Page() {
  const { data, error, reload } = useResource<{ readonly data: readonly Member[] }>(inWorkspace('/members'))
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const rows = data?.data.map((member) => ({ ...member, id: member.operatorId }))
  const done = (member: Member, text: string) => {
    say(text)
    close()
    // What one may do oneself has changed, so that the pages must know.
    if (isMe(member)) void loadMe().then(reload, sayError)
    else reload()
  }
  return (
    <>
      <PageHeader
        title="Members"
        intro="Who may use this workspace in the console, and what each may do."
        actions={
          can('OWNER') && (
            <Button look="primary" icon="plus" onClick={() => setOpen({ type: 'add' })}>
              Add member
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
            columns={can('OWNER') ? [...columns, actionsWith(setOpen)] : columns}
            rows={rows}
          />
        )}
      </div>
      <RolesExplained />
      {(open?.type === 'add' || open?.type === 'change') && (
        <MemberForm
          member={open.type === 'change' ? open.member : undefined}
          members={rows ?? []}
          onClose={close}
          onDone={(member) => done(member, `${member.email} is ${withArticle(titleOf(member.role))} now.`)}
        />
      )}
      {open?.type === 'remove' && (
        <Remove
          member={open.member}
          onClose={close}
          onDone={() => done(open.member, `${open.member.email} is no member any more.`)}
        />
      )}
    </>
  )
}

const withArticle = (title: string): string => `${/^[AEIOU]/.test(title) ? 'an' : 'a'} ${title.toLowerCase()}`

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
        and what was done stay as they are.
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
        </span>
        <small>{member.email}</small>
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
      items={[
        { label: 'Change role', onSelect: () => onOpen({ type: 'change', member }) },
        { label: 'Remove', isDanger: true, onSelect: () => onOpen({ type: 'remove', member }) },
      ]}
    />
  ),
})
