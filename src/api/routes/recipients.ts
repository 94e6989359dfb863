import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { HttpRequest } from '../../http/exchange.ts'
import { byId, pageBody, pageRequest } from '../../http/paging.ts'
import { RawAnswer } from '../../http/route.ts'
import { validationError } from '../../http/validate.ts'
import { readRecipients, recipientReport } from '../recipients-csv.ts'
import { route } from '../route.ts'
import {
  additionView,
  recipientQuery,
  recipientsBody,
  recipientView,
  removalBody,
  removalView,
} from '../schemas/campaigns.ts'
import { idParam, pageOf } from '../schemas/fields.ts'

const recipients = byId('recipients')

export const listRecipients = route({
  method: 'GET',
  path: '/campaigns/:id/recipients',
  scope: 'CAMPAIGNS_READ',
  summary: 'List recipients in the order they were added; with Accept: text/csv all of them as CSV',
  params: idParam('campaign'),
  query: recipientQuery,
  response: pageOf(recipientView),
  errors: ['NOT_FOUND'],
  async handle({ caller: { workspaceId }, params, query: { limit, cursor, ...filter }, services, request }) {
    if (!(await services.campaigns.find(workspaceId, params.id))) throw notFound('campaign')
    if (!wantsCsv(request)) {
      const page = pageRequest(recipients, { limit, cursor })
      return pageBody(recipients, await services.recipients.list(workspaceId, params.id, filter, page))
    }
    const paging = ['limit', 'cursor'].filter((name) => request.query.has(name))
    if (paging.length > 0)
      throw validationError(paging.map((path) => ({ path, message: 'does not apply to the report as CSV' })))
    return new RawAnswer(recipientReport(services.recipients.all(workspaceId, params.id, filter)), {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="recipients.csv"',
      'cache-control': 'no-store',
    })
  },
})

const csvAccepted = /(^|,)\s*text\/csv\s*(,|;(?!\s*q=0(\.0*)?\s*(,|$))|$)/i

const wantsCsv = (request: HttpRequest): boolean => csvAccepted.test(request.header('accept') ?? '')

export const addRecipients = route({
  method: 'POST',
  path: '/campaigns/:id/recipients',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Add up to 10,000 recipients, as JSON or as CSV with the columns to and the names of variables',
  params: idParam('campaign'),
  body: recipientsBody,
  bodyBytes: limits.recipientsBodyBytes,
  media: { 'text/csv': readRecipients },
  response: additionView,
  errors: ['NOT_FOUND', 'INVALID_STATE', 'TEMPLATE_NOT_FOUND'],
  handle: ({ caller, params, body, services }) =>
    services.recipients.add(caller.workspaceId, params.id, body.recipients),
})

export const removeRecipients = route({
  method: 'DELETE',
  path: '/campaigns/:id/recipients',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Remove recipients that are still PENDING: by id, by number, or all',
  params: idParam('campaign'),
  body: removalBody,
  response: removalView,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  handle: ({ caller, params, body, services }) =>
    services.recipients.remove(caller.workspaceId, params.id, body),
})
