// The audit: of a workspace, of one's own account, and of all accounts for whoever runs the installation.
import * as v from 'valibot'
import { AppError, notFound } from '../../contract/errors.ts'
import type { Page } from '../../contract/page.ts'
import type { AccountAuditRecord, AuditRecord } from '../../contract/records/console.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { time } from '../../platform/http/time.ts'
import { auditWords, shortWordsOf } from '../audit-words.ts'
import { operatorRoute, workspaceRoute } from '../route.ts'
import { idOf, idParams } from '../schema.ts'
import { hiddenFrom, ownAuditFor } from '../shown-to.ts'
import { tellAudit } from '../tell-audit.ts'

const kind = byId('console-audit')

const filters = {
  action: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, 'must look like key.created or key')),
  ),
  since: v.optional(time),
  until: v.optional(time),
}
export const auditFilters = { ...filters, operatorId: v.optional(idOf('operator')) }
const withOperator = v.strictObject({ ...pageQuery, ...auditFilters })

const listAudit = workspaceRoute({
  method: 'GET',
  path: '/audit',
  summary:
    'Who changed what, when, from where; addresses and devices of others, and how members sign in, are for admins',
  role: 'VIEWER',
  query: withOperator,
  async handle({ services, author, role, query: { limit, cursor, ...filter } }) {
    const page = pageRequest(kind, { limit, cursor })
    const all = { ...filter, hidden: hiddenFrom(role) }
    const { data, next } = await services.audit.list(author.workspaceId, all, page)
    return pageBody(kind, { data: await tellAudit(services.subjectNames, { author, role }, data), next })
  },
})

const getAudit = workspaceRoute({
  method: 'GET',
  path: '/audit/:id',
  summary: 'One entry, as in the list',
  role: 'VIEWER',
  params: idParams('audit'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, role, params }) {
    const found = await services.audit.find(author.workspaceId, params.id, hiddenFrom(role))
    if (!found) throw notFound('entry')
    const [told] = await tellAudit(services.subjectNames, { author, role }, [found])
    return told
  },
})

const listAuditWords = workspaceRoute({
  method: 'GET',
  path: '/audit/actions',
  summary: 'What the audit can be filtered by, in words',
  role: 'VIEWER',
  handle: () => ({ data: auditWords }),
})

const told = ({ data, next }: Page<AuditRecord>) => ({
  data: data.map((record): AccountAuditRecord => ({ ...record, did: shortWordsOf(record.action) })),
  next,
})

const listMyAudit = operatorRoute({
  method: 'GET',
  path: '/me/audit',
  summary: 'Sign-ins, refused ones too, and changes of your account: when, from where, with which device',
  query: v.strictObject({ ...pageQuery, ...filters }),
  async handle({ services, operator: { operatorId }, query: { limit, cursor, ...filter } }) {
    const page = pageRequest(kind, { limit, cursor })
    const { data, next } = await services.audit.listAccounts({ ...filter, operatorId }, page)
    return pageBody(kind, told({ data: data.map((record) => ownAuditFor(operatorId, record)), next }))
  },
})

const listAccountAudit = operatorRoute({
  method: 'GET',
  path: '/accounts/audit',
  summary: 'The same of all accounts, and of sign-ins without one; for platform owners',
  query: withOperator,
  errors: ['NOT_FOUND'],
  async handle({ services, operator, query: { limit, cursor, ...filter } }) {
    // NOT_FOUND, as on every platform route: only the platform owner may learn about it.
    if (!operator.platformOwner) throw new AppError('NOT_FOUND', 'there is nothing at this path for you')
    const page = pageRequest(kind, { limit, cursor })
    return pageBody(kind, told(await services.audit.listAccounts(filter, page)))
  },
})

export const auditRoutes = [listAudit, listAuditWords, getAudit, listMyAudit, listAccountAudit]
