import { useState } from 'preact/hooks'
import { api } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction, useList } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Section } from '../../parts/facts.tsx'
import { ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

interface SessionRecord {
  readonly id: string
  readonly device: string
  readonly userAgent: string | null
  readonly address: string | null
  readonly createdAt: string
  readonly lastUsedAt: string
  readonly current: boolean
}

export function Sessions() {
  const { rows, error, reload } = useList<SessionRecord>('/me/sessions')
  const [isEndingAll, setEndingAll] = useState(false)
  const ending = useAction()
  const end = (session: SessionRecord) =>
    ending.run(async () => {
      await api.delete(`/me/sessions/${session.id}`)
      say(`The session in ${session.device} has ended.`)
      reload()
    })
  const others = rows?.filter(({ current }) => !current) ?? []
  return (
    <Section
      title="Sessions"
      actions={others.length > 0 && <Button onClick={() => setEndingAll(true)}>End all others</Button>}
    >
      {error && <ErrorState error={error} onRetry={reload} />}
      {!rows && !error && <Skeleton rows={2} />}
      {rows && <Table label="Sessions" columns={columnsWith(end)} rows={rows} />}
      <Problem error={ending.error} />
      {isEndingAll && (
        <EndOthers
          count={others.length}
          onClose={() => {
            setEndingAll(false)
            reload()
          }}
        />
      )}
    </Section>
  )
}

function EndOthers({ count, onClose }: { readonly count: number; onClose(): void }) {
  return (
    <Confirm
      title="End every other session?"
      action="End all others"
      work={() => api.delete('/me/sessions')}
      onDone={() => {
        say('Every other session has ended.')
        onClose()
      }}
      onClose={onClose}
    >
      <p>
        {plural(count, 'session')} on other devices or in other browsers must sign in again. This one stays.
      </p>
    </Confirm>
  )
}

const columnsWith = (end: (session: SessionRecord) => Promise<unknown>): Column<SessionRecord>[] => [
  {
    title: 'Where',
    cell: ({ device, userAgent, current }) => (
      <span class="inline" title={userAgent ?? undefined}>
        <strong>{device}</strong> {current && <Tag>This device</Tag>}
      </span>
    ),
  },
  { title: 'Address', isMinor: true, cell: ({ address }) => address ?? '—' },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  { title: 'Signed in', isMinor: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: 'Actions',
    isTitleHidden: true,
    align: 'end',
    cell: (session) =>
      !session.current && (
        <Button aria-label={`End the session in ${session.device}`} onClick={() => void end(session)}>
          End
        </Button>
      ),
  },
]
