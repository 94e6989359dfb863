import { newDigits } from './ids.ts'
import { ProviderError } from './provider-error.ts'
import {
  type Composed,
  completedAuthentication,
  componentOf,
  TemplateBody,
  type TemplateDefinition,
  type TemplateRecord,
  textOf,
  variablesIn,
} from './template-record.ts'
import { checkSample } from './uploads.ts'
import { accountUpdate } from './webhook-payloads.ts'
import { pageOf, readWire, selectFields } from './wire.ts'
import type { World } from './world.ts'

const REVIEW_MS = 500
const TEMPLATE_LIMIT = 6000
const FIELDS = [
  'name',
  'language',
  'status',
  'category',
  'parameter_format',
  'components',
  'quality_score',
  'rejected_reason',
]
const FILTERS = ['name', 'language', 'status', 'category'] as const

/** `summary` asks for figures of the whole account beside the page. */
export function listTemplates(world: World, query: URLSearchParams, self: string): unknown {
  const matching = [...world.templates.values()].filter((template) =>
    FILTERS.every((filter) => (query.get(filter) ?? template[filter]) === template[filter]),
  )
  const page = pageOf(matching, query, self, (template) => templateView(template, query))
  const summary = query.get('summary')
  if (summary === null) return page
  const figures = {
    total_count: matching.length,
    message_template_count: world.templates.size,
    message_template_limit: TEMPLATE_LIMIT,
    are_translations_complete: false,
  }
  const asked = summary.split(',').map((name) => name.trim())
  return {
    ...page,
    summary: Object.fromEntries(Object.entries(figures).filter(([name]) => asked.includes(name))),
  }
}

export const templateView = (template: TemplateRecord, query: URLSearchParams): unknown =>
  selectFields(template, query.get('fields'), FIELDS)

/** Creates a template for review. After 0.5 s it is approved, or rejected if its name contains `reject`. */
export function createTemplate(world: World, body: unknown): unknown {
  const definition = completedAuthentication(readWire(TemplateBody, body))
  checkDefinition(world, definition)
  const template: TemplateRecord = {
    ...definition,
    id: newDigits(),
    status: 'PENDING',
    rejected_reason: 'NONE',
    quality_score: { score: 'UNKNOWN', date: Math.floor(Date.now() / 1000) },
  }
  world.templates.set(template.id, template)
  const refused = template.name.includes('reject')
  world.timers.later(REVIEW_MS, () => {
    if (template.status === 'PENDING') setTemplateStatus(world, template, refused ? 'REJECTED' : 'APPROVED')
  })
  return { id: template.id, status: template.status, category: template.category }
}

function checkDefinition(world: World, definition: TemplateDefinition): void {
  if (textOf(definition, 'BODY') === '') {
    throw new ProviderError(100, 'A template must have a BODY component with text.')
  }
  for (const template of world.templates.values()) {
    if (template.name === definition.name && template.language === definition.language) {
      throw new ProviderError(100, 'There is already content in this language for this template.', {
        subcode: 2388024,
      })
    }
  }
  if (world.templates.size >= TEMPLATE_LIMIT)
    throw new ProviderError(100, 'Template limit reached.', { subcode: 2388019 })
  const body = textOf(definition, 'BODY')
  if (definition.category !== 'AUTHENTICATION' && /^\s*\{\{|\}\}\s*$/.test(body)) {
    throw new ProviderError(100, 'Variables cannot be at the start or end of the body.', { subcode: 2388299 })
  }
  for (const part of [definition, ...(componentOf(definition, 'CAROUSEL')?.cards ?? [])])
    checkPart(world, part)
}

function checkPart(world: World, part: Composed): void {
  for (const type of ['HEADER', 'BODY'] as const) checkExamples(part, type)
  const header = componentOf(part, 'HEADER')
  if (header !== undefined) checkSample(world, header.format, header.example)
}

function checkExamples(part: Composed, type: 'HEADER' | 'BODY'): void {
  const wanted = variablesIn(textOf(part, type)).length
  if (wanted === 0) return
  if (JSON.stringify(componentOf(part, type)?.example ?? {}) === '{}') {
    throw new ProviderError(100, `${type} has ${wanted} variables and no example.`, { subcode: 2388043 })
  }
}

export function deleteTemplates(world: World, query: URLSearchParams): unknown {
  const name = query.get('name')
  const id = query.get('hsm_id')
  if (name === null) throw new ProviderError(100, 'The parameter name is required.')
  const doomed = [...world.templates.values()].filter((one) => one.name === name && (id ?? one.id) === one.id)
  if (doomed.length === 0) throw new ProviderError(100, `There is no template ${name}.`, { subcode: 2593002 })
  for (const template of doomed) world.templates.delete(template.id)
  return { success: true }
}

/** Changes a template's status, as a review or the quality rating does, and reports it with a webhook. */
export function setTemplateStatus(world: World, template: TemplateRecord, status: string): void {
  template.status = status
  template.rejected_reason = status === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE'
  const update = accountUpdate('message_template_status_update', template.id, {
    event: status,
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
    message_template_category: template.category,
    reason: template.rejected_reason,
  })
  void world.webhooks.send(update)
}
