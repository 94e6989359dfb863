import { notFound } from '../../contract/errors.ts'
import { byId, pageBody, pageRequest } from '../../platform/http/paging.ts'
import { route } from '../route.ts'
import { numberQuery, numberView, templateQuery, templateView } from '../schemas/catalog.ts'
import { idParam, pageOf } from '../schemas/fields.ts'

const templates = byId('templates')
const numbers = byId('numbers')

export const listTemplates = route({
  method: 'GET',
  path: '/templates',
  scope: 'CATALOG_READ',
  summary: 'List message templates, newest first',
  query: templateQuery,
  response: pageOf(templateView),
  errors: [],
  async handle({ caller, query: { limit, cursor, ...filter }, services }) {
    const page = pageRequest(templates, { limit, cursor })
    return pageBody(templates, await services.templates.list(caller.workspaceId, filter, page))
  },
})

export const listNumbers = route({
  method: 'GET',
  path: '/numbers',
  scope: 'CATALOG_READ',
  summary: "List the workspace's phone numbers, newest first",
  query: numberQuery,
  response: pageOf(numberView),
  errors: [],
  async handle({ caller, query, services }) {
    const page = pageRequest(numbers, query)
    return pageBody(numbers, await services.numbers.list(caller.workspaceId, page))
  },
})

export const getTemplate = route({
  method: 'GET',
  path: '/templates/:id',
  scope: 'CATALOG_READ',
  summary: 'Read one message template',
  params: idParam('template'),
  response: templateView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const found = await services.templates.findById(caller.workspaceId, params.id)
    if (!found) throw notFound('template')
    return found.record
  },
})

export const getNumber = route({
  method: 'GET',
  path: '/numbers/:id',
  scope: 'CATALOG_READ',
  summary: 'Read one phone number of the workspace',
  params: idParam('number'),
  response: numberView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const number = await services.numbers.find(caller.workspaceId, params.id)
    if (!number) throw notFound('number')
    return number
  },
})
