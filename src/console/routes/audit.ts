// The audit: of a workspace, of one's own account, and of all accounts for whoever runs the installation.
import * as v from 'valibot'
import { AppError } from '../../contract/errors.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { time } from '../../platform/http/time.ts'
import { operatorRoute, workspaceRoute } from '../route.ts'
import { idOf } from '../schema.ts'
import { auditFor } from '../shown-to.ts'

const kind = byId('console-audit')

const filters = {
  ...pageQuery,
  action: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, 'must look like key.created or key')),
  ),
  since: v.optional(time),
  until: v.optional(time),
}
const withOperator = v.strictObject({ ...filters, operatorId: v.optional(idOf('operator')) })

const listAudit = workspaceRoute({
  method: 'GET',
  path: '/audit',
  summary: 'Who changed what, when, from where; addresses and devices of others are for admins',
  role: 'VIEWER',
  query: withOperator,
  async handle({ services, author, role, query: { limit, cursor, ...filter } }) {
    const page = pageRequest(kind, { limit, cursor })
    const { data, next } = await services.audit.list(author.workspaceId, filter, page)
    return pageBody(kind, { data: data.map((record) => auditFor(role, author.operatorId, record)), next })
  },
})

const listMyAudit = operatorRoute({
  method: 'GET',
  path: '/me/audit',
  summary: 'Sign-ins, refused ones too, and changes of your account: when, from where, with which device',
  query: v.strictObject(filters),
  async handle({ services, operator: { operatorId }, query: { limit, cursor, ...filter } }) {
    const page = pageRequest(kind, { limit, cursor })
    return pageBody(kind, await services.audit.listAccounts({ ...filter, operatorId }, page))
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
    return pageBody(kind, await services.audit.listAccounts(filter, page))
  },
})

export const auditRoutes = [listAudit, listMyAudit, listAccountAudit]
