import * as v from 'valibot'
import { AppError, notFound } from '../../contract/errors.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { workspaceRoute } from '../route.ts'
import { flag, hasField, idOf, idParams } from '../schema.ts'

const kind = byId('console-numbers')

const listNumbers = workspaceRoute({
  method: 'GET',
  path: '/numbers',
  summary: 'Numbers and their routing',
  role: 'VIEWER',
  query: v.strictObject(pageQuery),
  handle: async ({ services, author, query }) =>
    pageBody(kind, await services.numbers.list(author.workspaceId, pageRequest(kind, query))),
})

const routeNumber = workspaceRoute({
  method: 'PATCH',
  path: '/numbers/:id',
  summary: 'Assign a number to an endpoint, forward its calls there, make it the default sender',
  needsProof: ({ body }) => body.endpointId !== undefined || body.forwardCalls !== undefined,
  role: 'ADMIN',
  params: idParams('number'),
  body: v.pipe(
    v.strictObject({
      endpointId: v.optional(v.nullable(idOf('endpoint'))),
      forwardCalls: v.optional(v.boolean()),
      isDefault: v.optional(v.boolean()),
    }),
    hasField(),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params, body }) {
    const change = await services.numbers.route(author, params.id, body)
    switch (change.type) {
      case 'changed':
        for (const id of change.endpointIds) services.engine.configChanged(id)
        return change.number
      case 'notFound':
        throw notFound('number')
      case 'endpointNotFound':
        throw new AppError('VALIDATION_ERROR', 'That is no endpoint of this workspace.', {
          details: [{ path: 'endpointId', message: 'Choose an endpoint of this workspace' }],
        })
      case 'refused':
        throw new AppError('INVALID_STATE', change.message)
    }
  },
})

const accountStates = workspaceRoute({
  method: 'GET',
  path: '/account',
  summary: 'What the provider reports of the account, its numbers and templates, and what holds now',
  role: 'VIEWER',
  query: v.strictObject({ templateId: v.optional(idOf('template')), ofTemplates: v.optional(flag) }),
  handle: async ({ services, author, query }) => ({
    data: await services.reads.accountStates.states(author.workspaceId, query),
  }),
})

export const numberRoutes = [listNumbers, routeNumber, accountStates]
