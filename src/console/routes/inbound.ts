// What the provider told about the workspace, and nothing was made of. It may hold texts and numbers of contacts, as the
// conversations that every member reads. What names no workspace is in no console.
import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import { unappliedReasons } from '../../contract/inbound-elements.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { time } from '../../platform/http/time.ts'
import { workspaceRoute } from '../route.ts'
import { idParams } from '../schema.ts'

const kind = byId('console-inbound')

const listUnapplied = workspaceRoute({
  method: 'GET',
  path: '/inbound',
  summary: 'Elements of webhooks that nothing was made of, newest first; `irrelevant` ones only if asked for',
  role: 'VIEWER',
  query: v.strictObject({
    ...pageQuery,
    reason: v.optional(v.picklist(unappliedReasons)),
    since: v.optional(time),
    until: v.optional(time),
  }),
  async handle({ services, author, query }) {
    const page = await services.inbound.list(author.workspaceId, query, pageRequest(kind, query))
    return pageBody(kind, page)
  },
})

const getUnapplied = workspaceRoute({
  method: 'GET',
  path: '/inbound/:id',
  summary: 'One of them with its JSON as it came, without SDP',
  role: 'VIEWER',
  params: idParams('element'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    const found = await services.inbound.find(author.workspaceId, params.id)
    if (!found) throw notFound('element')
    return found
  },
})

export const inboundRoutes = [listUnapplied, getUnapplied]
