import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import {
  type TemplateVariable,
  templateCategories,
  templateStatuses,
} from '../../contract/records/catalog.ts'
import type { TemplateDetail } from '../../contract/records/console.ts'
import { renderTemplate } from '../../messaging/render-template.ts'
import { templateVariables } from '../../messaging/template-variables.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { workspaceRoute } from '../route.ts'
import { idParams, variableMap } from '../schema.ts'

const kind = byId('console-templates')
const filterText = v.pipe(v.string(), maxCharacters(512, 'must be at most 512 characters long'))

const isShallow = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== 'object' ||
  (levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1)))

// Checks only the size: the provider decides what a component may contain, and answers with the reason.
const components = v.pipe(
  v.array(v.record(v.string(), v.unknown())),
  v.minLength(1, 'must have at least one component'),
  v.maxLength(10, 'must have at most ten components'),
  v.check((list) => isShallow(list, 12), 'must not be nested so deeply'),
)

const listTemplates = workspaceRoute({
  method: 'GET',
  path: '/templates',
  summary: 'Templates with their status; name finds those that contain it, exactName those that have it',
  role: 'VIEWER',
  query: v.strictObject({
    ...pageQuery,
    name: v.optional(filterText),
    exactName: v.optional(filterText),
    language: v.optional(filterText),
    status: v.optional(v.picklist(templateStatuses)),
    category: v.optional(v.picklist(templateCategories)),
  }),
  async handle({ services, author, query }) {
    const { limit, cursor, name: nameContains, exactName: name, ...others } = query
    const page = pageRequest(kind, { limit, cursor })
    const filter = { ...others, name, nameContains }
    return pageBody(kind, await services.reads.templates.list(author.workspaceId, filter, page))
  },
})

const getTemplate = workspaceRoute({
  method: 'GET',
  path: '/templates/:id',
  summary: 'One template, why it has its status, and what it looks like with its examples',
  role: 'VIEWER',
  params: idParams('template'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }): Promise<TemplateDetail> {
    const found = await services.reads.templates.findById(author.workspaceId, params.id)
    if (!found) throw notFound('template')
    const { record, statusReason } = found
    return { ...record, statusReason, preview: renderTemplate(record, examplesOf(record.variables)) }
  },
})

const submitTemplate = workspaceRoute({
  method: 'POST',
  path: '/templates',
  summary: 'Submit a template to the provider for approval',
  role: 'ADMIN',
  body: v.strictObject({
    name: v.pipe(v.string(), v.regex(/^[a-z0-9_]{1,512}$/, 'Use lower-case letters, digits and _')),
    language: v.pipe(v.string(), v.regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must look like en or en_US')),
    category: v.picklist(templateCategories),
    parameterFormat: v.optional(v.picklist(['NAMED', 'POSITIONAL']), 'NAMED'),
    components,
  }),
  success: 201,
  errors: ['INVALID_STATE', 'PROVIDER_ERROR'],
  handle: ({ services, author, body }) => services.templates.submit(author, body),
})

/** Variables without a value get the examples of the template. */
const previewTemplate = workspaceRoute({
  method: 'POST',
  path: '/templates/preview',
  summary: 'What a template would look like, while it is being written; nothing is stored or submitted',
  role: 'AGENT',
  body: v.strictObject({
    components,
    variables: variableMap,
  }),
  handle({ body }) {
    const variables = templateVariables(body)
    const values = { ...examplesOf(variables), ...body.variables }
    return { ...renderTemplate(body, values), variables }
  },
})

const examplesOf = (variables: readonly TemplateVariable[]): Record<string, string> =>
  Object.fromEntries(
    variables.flatMap(({ name, example }) => (example === null ? [] : [[name, example] as const])),
  )

export const templateRoutes = [listTemplates, getTemplate, submitTemplate, previewTemplate]
