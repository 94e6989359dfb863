import type { AuditRecord } from '../../../../contract/records/console.ts'
import { exact } from '../../core/format.ts'
import { hrefOf } from '../../core/router.ts'
import { CopyButton } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { type Change, changesOf, titleOfField } from './changes.ts'

/** One entry, with the values that it changed. */
export const Entry = ({ record, onClose }: { readonly record: AuditRecord; onClose(): void }) => (
  <Drawer title={record.action} onClose={onClose}>
    <DialogBody>
      <Facts
        facts={[
          ['When', exact(record.at)],
          ['By', authorText(record)],
          ['From', record.ip ?? '—'],
          [
            'Device',
            <span key="device" title={record.userAgent ?? undefined}>
              {record.device ?? '—'}
            </span>,
          ],
          [
            'Subject',
            record.subjectId === null ? (
              record.subjectKind
            ) : (
              <span key="subject" class="inline">
                <code class="address">{record.subjectId}</code>
                <CopyButton text={record.subjectId} />
                {pageOf[record.subjectKind] && (
                  <a href={hrefOf(pageOf[record.subjectKind] ?? '', record.subjectId)}>Open</a>
                )}
              </span>
            ),
          ],
        ]}
      />
      <Changes record={record} />
    </DialogBody>
  </Drawer>
)

/** The page that shows each kind of subject. A message opens in its conversation. */
const pageOf: Readonly<Record<string, string>> = {
  call: 'calls',
  campaign: 'campaigns',
  conversation: 'conversations',
  delivery: 'deliveries',
  endpoint: 'endpoints',
  message: 'conversations',
  template: 'templates',
}

function Changes({ record: { before, after } }: { readonly record: AuditRecord }) {
  const changes = changesOf(before, after)
  if (changes.length === 0) return <p class="dim">No value changed.</p>
  return (
    <div>
      <h3>{after === null ? 'Values until then' : 'Values'}</h3>
      <dl class="changes">
        {changes.map((change) => (
          <div key={change.field}>
            <dt>{titleOfField(change.field)}</dt>
            <dd>
              <Values change={change} isWhole={before === null || after === null} />
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
}: {
  readonly change: Change
  readonly isWhole: boolean
}) =>
  isWhole ? (
    <span>{before ?? after}</span>
  ) : (
    <>
      {before !== null && (
        <del>
          <span class="visually-hidden">Before: </span>
          {before}
        </del>
      )}
      {after !== null && (
        <ins>
          <span class="visually-hidden">After: </span>
          {after}
        </ins>
      )}
    </>
  )

function authorText({ operator, key }: AuditRecord): string {
  if (operator !== null) return `${operator.name} (${operator.email})`
  return key === null ? 'The system' : `Key ${key.name} (${key.prefix})`
}
