import { byId, pageBody, pageRequest } from '../../http/paging.ts'
import { route } from '../route.ts'
import { numberQuery, numberView, templateQuery, templateView } from '../schemas/catalog.ts'
import { pageOf } from '../schemas/fields.ts'

const templates = byId('templates')
const numbers = byId('numbers')

export const listTemplates = route({
  method: 'GET',
  path: '/templates',
  scope: 'CATALOG_READ',
  summary: 'List message templates',
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
  summary: "List the workspace's phone numbers",
  query: numberQuery,
  response: pageOf(numberView),
  errors: [],
  async handle({ caller, query, services }) {
    const page = pageRequest(numbers, query)
    return pageBody(numbers, await services.numbers.list(caller.workspaceId, page))
  },
})
