// Audit entries in words, with the names of their subjects.
import { memberEvents } from '../accounts/member-events.ts'
import { includesRole, type Role } from '../accounts/roles.ts'
import type { Author } from '../contract/administration.ts'
import type { AuditRecord, ToldAuditRecord } from '../contract/records/console.ts'
import { isOwn, wordsOf } from './audit-words.ts'
import { auditFor } from './shown-to.ts'
import type { SubjectNames } from './store/subject-names.store.ts'

/** How members sign in is for those who can change who they are and what they may do. */
export const hiddenFrom = (role: Role): readonly string[] => (includesRole(role, 'ADMIN') ? [] : memberEvents)

export async function tellAudit(
  names: SubjectNames,
  reader: { readonly author: Author; readonly role: Role },
  records: readonly AuditRecord[],
): Promise<ToldAuditRecord[]> {
  const found = await names.names(reader.author.workspaceId, records)
  return records.map((record, index) => ({
    ...auditFor(reader.role, reader.author.operatorId, record),
    did: wordsOf(record),
    subjectName: isOwn(record) ? null : (found[index] ?? nameIn(record)),
  }))
}

/** Of what is deleted, the entry itself may hold the name or address. */
function nameIn({ before, after }: AuditRecord): string | null {
  const values = [after, before].filter((value) => typeof value === 'object' && value !== null) as Record<
    string,
    unknown
  >[]
  const named = values.flatMap(({ name, email }) => [name, email]).find((text) => typeof text === 'string')
  return (named as string | undefined) ?? null
}
