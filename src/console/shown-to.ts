// What members below ADMIN do not see: secrets that an address carries, and where colleagues work from.
import { memberEvents } from '../accounts/member-events.ts'
import { includesRole, type Role } from '../accounts/roles.ts'
import type { AuditRecord, EndpointRecord, MemberRecord, SearchResult } from '../contract/records/console.ts'
import { encodeId, type OperatorId } from '../shared/ids.ts'

const seesAll = (role: Role): boolean => includesRole(role, 'ADMIN')

/** Receivers are often told apart by a token in the query. Its names are hidden too: one may be the token. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '?***')

export const endpointFor = (role: Role, record: EndpointRecord): EndpointRecord =>
  seesAll(role) ? record : { ...record, url: withoutQuery(record.url) }

/** How members sign in is for those who can change who they are and what they may do. */
export const hiddenFrom = (role: Role): readonly string[] => (seesAll(role) ? [] : memberEvents)

/** The title of an audit entry is its action, the detail of an endpoint its URL. */
export function resultsFor(role: Role, results: readonly SearchResult[]): readonly SearchResult[] {
  if (seesAll(role)) return results
  return results
    .filter(({ kind, title }) => kind !== 'audit' || title === null || !hiddenFrom(role).includes(title))
    .map((result) =>
      result.kind !== 'endpoint' || result.detail === null
        ? result
        : { ...result, detail: withoutQuery(result.detail) },
    )
}

/** Whose account a password alone opens is for those who can change it. */
export const memberFor = (role: Role, record: MemberRecord): MemberRecord =>
  seesAll(role) ? record : { ...record, secondFactor: null }

/** Of what was done to the own account: guesses of strangers with their address, but not where others work from. */
export const ownAuditFor = (reader: OperatorId, record: AuditRecord): AuditRecord =>
  record.operator === null || isBy(reader, record) ? record : { ...record, ...nowhere }

const nowhere = { ip: null, device: null, userAgent: null }

const isBy = (reader: OperatorId, { operator }: AuditRecord): boolean =>
  operator?.id === encodeId('operator', reader)

export function auditFor(role: Role, reader: OperatorId, record: AuditRecord): AuditRecord {
  if (seesAll(role)) return record
  const [before, after] = [record.before, record.after].map(withoutUrlQuery)
  return { ...record, before, after, ...(!isBy(reader, record) && nowhere) }
}

const withoutUrlQuery = (values: unknown): unknown =>
  typeof values === 'object' && values !== null && 'url' in values && typeof values.url === 'string'
    ? { ...values, url: withoutQuery(values.url) }
    : values
