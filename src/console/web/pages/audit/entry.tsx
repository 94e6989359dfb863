import type { ToldAuditRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { sentence } from '../../core/format.ts'
import { useResource } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { Copyable } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { Exactly } from '../../parts/time.tsx'
import { type Change, changesOf, titleOfField } from './changes.ts'
import { capital, shownName } from './words.ts'

interface Props {
  readonly id: string
  /** Undefined if the list does not show it: an older entry, or one that its filters leave out. */
  readonly listed: ToldAuditRecord | undefined
  onClose(): void
}

/** One entry, with the values that it changed. */
export function Entry({ id, listed, onClose }: Props) {
  const { data, error, reload } = useResource<ToldAuditRecord>(
    listed ? undefined : inWorkspace(`/audit/${id}`),
  )
  const record = listed ?? data
  return (
    <Drawer title={record ? titleOf(record) : 'Entry'} onClose={onClose}>
      <DialogBody>
        {!record && error && <ErrorState error={error} onRetry={reload} />}
        {!record && !error && <Skeleton />}
        {record && <Facts facts={factsOf(record)} />}
        {record && <Changes record={record} />}
      </DialogBody>
    </Drawer>
  )
}

const factsOf = (record: ToldAuditRecord): Fact[] => [
  ['When', <Exactly key="when" at={record.at} />],
  ['By', <Author key="by" record={record} />],
  ['From', record.ip ?? '—'],
  [
    'Device',
    <span key="device" title={record.userAgent ?? undefined}>
      {record.device === null ? '—' : capital(record.device)}
    </span>,
  ],
  ...subjectFacts(record),
  ['Action', <code key="action">{record.action}</code>],
]

const titleOf = ({ did, subjectName }: ToldAuditRecord): string =>
  subjectName === null ? did : `${did} ${shownName(subjectName)}`

/** What is deleted has no page any more. A session has none, and no name. */
function subjectFacts({ subjectKind, subjectId, subjectName, before, after }: ToldAuditRecord): Fact[] {
  if (subjectId === null || subjectKind === 'session') return []
  const isGone = before !== null && after === null
  const href = isGone ? undefined : hrefOfSubject(subjectKind, subjectId)
  const name = subjectName === null ? sentence(subjectKind) : shownName(subjectName)
  return [
    [sentence(subjectKind), href === undefined ? name : <a href={href}>{name}</a>],
    [`${sentence(subjectKind)} ID`, <Copyable key="id" text={subjectId} what={`${subjectKind} ID`} />],
  ]
}

/** The page that shows each kind of subject: one of its records, or all of them. */
const pageOf: Readonly<Record<string, string>> = {
  call: 'calls',
  campaign: 'campaigns',
  conversation: 'conversations',
  delivery: 'deliveries',
  endpoint: 'endpoints',
  message: 'messages',
  template: 'templates',
}
const listOf: Readonly<Record<string, string>> = {
  invitation: 'members',
  key: 'keys',
  number: 'numbers',
  operator: 'members',
  workspace: 'settings',
}

function hrefOfSubject(kind: string, id: string): string | undefined {
  const [page, list] = [pageOf[kind], listOf[kind]]
  if (page !== undefined) return hrefOf(page, id)
  return list === undefined ? undefined : hrefOf(list)
}

function Changes({ record: { before, after, names } }: { readonly record: ToldAuditRecord }) {
  const changes = changesOf(before, after)
  if (changes.length === 0) return <p class="dim">No value changed.</p>
  return (
    <div>
      <h3>{before !== null && after === null ? 'Values until then' : 'Values'}</h3>
      <dl class="changes">
        {changes.map((change) => (
          <div key={change.field}>
            <dt>{titleOfField(change.field)}</dt>
            <dd>
              <Values {...{ change, names }} isWhole={before === null || after === null} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** The values before and after. `isWhole`: the record was created or deleted, so there is only one value. */
const Values = ({
  change: { before, after },
  isWhole,
  names,
}: {
  readonly change: Change
  readonly names: Readonly<Record<string, string>>
  readonly isWhole: boolean
}) =>
  isWhole ? (
    <Value text={before ?? after ?? ''} names={names} />
  ) : (
    <>
      {before !== null && (
        <del>
          <span class="visually-hidden">Before: </span>
          <Value text={before} names={names} />
        </del>
      )}
      {after !== null && (
        <ins>
          <span class="visually-hidden">After: </span>
          <Value text={after} names={names} />
        </ins>
      )}
    </>
  )

const Value = ({
  text,
  names,
}: {
  readonly text: string
  readonly names: Readonly<Record<string, string>>
}) => (Object.hasOwn(names, text) ? <span title={text}>{names[text]}</span> : <span>{text}</span>)

function Author({ record: { operator, key } }: { readonly record: ToldAuditRecord }) {
  if (operator !== null)
    return (
      <>
        <a href={hrefOf('members')}>{operator.name}</a>
        {operator.name !== operator.email && ` (${operator.email})`}
      </>
    )
  if (key === null) return <>—</>
  return (
    <>
      API key <a href={hrefOf('keys')}>{key.name}</a> ({key.prefix})
    </>
  )
}
