// Audit entries in words, with the names of their subjects.
import type { Role } from '../accounts/roles.ts'
import type { Author } from '../contract/administration.ts'
import type { AuditRecord, ToldAuditRecord } from '../contract/records/console.ts'
import { decodeId, type IdKind, idPrefixes } from '../shared/ids.ts'
import { isOwn, wordsOf } from './audit-words.ts'
import { auditFor } from './shown-to.ts'
import type { SubjectNames } from './store/subject-names.store.ts'

export async function tellAudit(
  subjects: SubjectNames,
  reader: { readonly author: Author; readonly role: Role },
  records: readonly AuditRecord[],
): Promise<ToldAuditRecord[]> {
  const mentioned = records.flatMap(idsIn)
  const found = await subjects.names(reader.author.workspaceId, [...records, ...mentioned])
  const names = new Map(mentioned.map(({ subjectId }, index) => [subjectId, found[records.length + index]]))
  return records.map((record, index) => {
    const subjectName = isOwn(record) ? null : (found[index] ?? nameIn(record))
    return {
      ...auditFor(reader.role, reader.author.operatorId, record),
      did: wordsOf(record, subjectName !== null),
      subjectName,
      names: Object.fromEntries(
        idsIn(record).flatMap(({ subjectId }) => {
          const name = names.get(subjectId)
          return name ? [[subjectId, name]] : []
        }),
      ),
    }
  })
}

const kinds = new Map(Object.entries(idPrefixes).map(([kind, prefix]) => [prefix as string, kind]))

/**
 * The ids among the values, such as the endpoint to which a number was routed: of the fields that we fill with ids. What
 * somebody chose, such as the name of a key, can look like the id of a stranger.
 */
const idsIn = ({ before, after }: AuditRecord): { subjectKind: string; subjectId: string }[] =>
  [before, after]
    .flatMap((values) => (typeof values === 'object' && values !== null ? Object.entries(values) : []))
    .flatMap(([field, value]) => {
      if (!field.endsWith('Id')) return []
      const kind = typeof value === 'string' ? kinds.get(value.split('_')[0] ?? '') : undefined
      return kind !== undefined && decodeId(kind as IdKind, value) !== undefined
        ? [{ subjectKind: kind, subjectId: value }]
        : []
    })

/** Of what is deleted, the entry itself may hold the name or address. */
function nameIn({ before, after }: AuditRecord): string | null {
  const values = [after, before].filter((value) => typeof value === 'object' && value !== null) as Record<
    string,
    unknown
  >[]
  const named = values.flatMap(({ name, email }) => [name, email]).find((text) => typeof text === 'string')
  return (named as string | undefined) ?? null
}
