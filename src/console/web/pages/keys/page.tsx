import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { count, day, exact, now } from '../../core/format.ts'
import { useList } from '../../core/load.ts'
import { can } from '../../core/session.ts'
import { useNew } from '../../core/starts-new.ts'
import { say } from '../../core/toasts.ts'
import { Badge, Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { KeyForm } from './key-form.tsx'
import { scopeTitle } from './scopes.ts'

type Created = KeyRecord & { readonly key: string }

type Open =
  | { readonly type: 'create' }
  | { readonly type: 'created'; readonly key: Created }
  | { readonly type: 'edit' | 'revoke'; readonly key: KeyRecord }

export function Page() {
  const list = useList<KeyRecord>(inWorkspace('/keys'))
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  useNew(() => setOpen({ type: 'create' }), can('ADMIN'))
  const create = can('ADMIN') && (
    <Button look="primary" icon="plus" onClick={() => setOpen({ type: 'create' })}>
      Create key
    </Button>
  )
  const actions: Column<KeyRecord> = {
    title: 'Actions',
    isTitleHidden: true,
    align: 'end',
    cell: (key) =>
      key.revokedAt === null && (
        <Menu
          label={`Actions for ${key.name}`}
          items={[
            { label: 'Edit', onSelect: () => setOpen({ type: 'edit', key }) },
            { label: 'Revoke', isDanger: true, onSelect: () => setOpen({ type: 'revoke', key }) },
          ]}
        />
      ),
  }
  return (
    <>
      <PageHeader
        title="API keys"
        intro="Your backend signs in to the public API with a key. Each shows its secret once, and may do what its scopes say."
        actions={create}
      />
      <ListTable
        label="API keys"
        list={list}
        columns={can('ADMIN') ? [...columns, actions] : columns}
        empty={
          <EmptyState icon="keys" title="No keys yet" action={create}>
            Create one with the scopes that your backend needs, and store its secret where your other secrets
            are.
          </EmptyState>
        }
      />
      <Opened
        open={open}
        onClose={close}
        onChange={(key) => {
          list.replace(key)
          close()
        }}
        onCreated={(key) => {
          list.reload()
          setOpen({ type: 'created', key })
        }}
      />
    </>
  )
}

function Opened({
  open,
  onClose,
  onChange,
  onCreated,
}: {
  readonly open: Open | undefined
  onClose(): void
  onChange(key: KeyRecord): void
  onCreated(key: Created): void
}) {
  switch (open?.type) {
    case undefined:
      return null
    case 'create':
      return <KeyForm<Created> onDone={onCreated} onClose={onClose} />
    case 'edit':
      return (
        <KeyForm
          record={open.key}
          onDone={(key) => {
            say(`${key.name} is saved. It applies from the next request on.`)
            onChange(key)
          }}
          onClose={onClose}
        />
      )
    case 'created':
      return <SecretOnce title="Your new key" label={open.key.name} secret={open.key.key} onClose={onClose} />
    case 'revoke':
      return <Revoke record={open.key} onClose={onClose} onChange={onChange} />
  }
}

function Revoke({
  record,
  onClose,
  onChange,
}: {
  readonly record: KeyRecord
  onClose(): void
  onChange(key: KeyRecord): void
}) {
  return (
    <Confirm
      title={`Revoke ${record.name}?`}
      action="Revoke key"
      work={async () => onChange(await api.delete<KeyRecord>(inWorkspace(`/keys/${record.id}`)))}
      onDone={() => say(`${record.name} is revoked.`)}
      onClose={onClose}
    >
      <p>
        Requests with this key are refused from now on, on every gateway.{' '}
        {record.lastUsedAt === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used <Ago at={record.lastUsedAt} />.
          </>
        )}{' '}
        This cannot be undone.
      </p>
    </Confirm>
  )
}

const columns: readonly Column<KeyRecord>[] = [
  { title: 'Name', cell: (key) => <strong>{key.name}</strong> },
  { title: 'Key', cell: (key) => <code>…{key.prefix}…</code> },
  { title: 'State', cell: (key) => <KeyState record={key} /> },
  { title: 'Scopes', isMinor: true, cell: (key) => <Scopes scopes={key.scopes} /> },
  {
    title: 'Limit',
    isMinor: true,
    cell: (key) => (key.requestsPerSecond === 0 ? 'None' : `${count(key.requestsPerSecond)} a second`),
  },
  { title: 'Last used', cell: (key) => <Ago at={key.lastUsedAt} none="Never" /> },
  { title: 'Created', isMinor: true, cell: (key) => <Ago at={key.createdAt} /> },
]

const Scopes = ({ scopes }: { readonly scopes: readonly string[] }) => (
  <span class="tags">
    {scopes.slice(0, 2).map((scope) => (
      <Tag key={scope}>{scopeTitle(scope)}</Tag>
    ))}
    {scopes.length > 2 && (
      <span title={scopes.slice(2).map(scopeTitle).join(', ')}>and {scopes.length - 2} more</span>
    )}
  </span>
)

function KeyState({ record: { revokedAt, expiresAt } }: { readonly record: KeyRecord }) {
  if (revokedAt !== null) return <Badge>Revoked</Badge>
  if (expiresAt === null) return <Badge tone="good">Active</Badge>
  if (Date.parse(expiresAt) <= now.value) return <Badge tone="bad">Expired</Badge>
  return (
    <span title={exact(expiresAt)}>
      <Badge tone="good">Until {day(expiresAt)}</Badge>
    </span>
  )
}
