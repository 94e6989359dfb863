// Renders a JSON schema as table rows: one row per field, nested fields under dotted names.
import type { JsonSchema } from '../../platform/http/shown.ts'
import { escaped, table } from './html.ts'
import { inline } from './render.ts'

type Fields = Readonly<Record<string, JsonSchema>>

/** Each alternative of `oneOf` or `anyOf` gets its own table. */
export function schemaTables(schema: JsonSchema, caption: string): string {
  const { oneOf, anyOf, $ref } = schema
  if (typeof $ref === 'string') return `<p>${typeText(schema)}</p>`
  const choices = (oneOf ?? anyOf) as readonly JsonSchema[] | undefined
  if (!choices) return table(caption, ['Field', 'Type', 'Meaning'], rows(schema))
  return choices
    .map(
      (choice, index) =>
        `<p>Alternative ${index + 1} of ${choices.length}:</p>${schemaTables(choice, caption)}`,
    )
    .join('\n')
}

function rows(schema: JsonSchema, prefix = ''): string[][] {
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.entries((schema['properties'] ?? {}) as Fields).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const need = required.includes(name) ? '' : ' <span class="note">optional</span>'
    const row = [`<code>${escaped(path)}</code>${need}`, typeText(field), meaning(field)]
    return [row, ...rows(objectOf(field), `${path}${isList(field) ? '[]' : ''}.`)]
  })
}

const isList = (schema: JsonSchema): boolean => schema['type'] === 'array'

/** The object schema of a field that is an object, a list of objects, or an object or null. */
function objectOf(schema: JsonSchema): JsonSchema {
  const choices = schema['anyOf'] as readonly JsonSchema[] | undefined
  return ((isList(schema) ? schema['items'] : choices?.find(({ type }) => type === 'object')) ??
    schema) as JsonSchema
}

export function typeText(schema: JsonSchema): string {
  const { $ref, anyOf, enum: values, type, items, additionalProperties } = schema
  if (typeof $ref === 'string') return reference($ref)
  if ('const' in schema) return code(schema['const'])
  if (Array.isArray(values)) return values.map(code).join(' ')
  if (Array.isArray(anyOf)) return anyOf.map(typeText).join(' or ')
  if (type === 'array') return `list of ${typeText((items ?? {}) as JsonSchema)}`
  if (type === 'object' && typeof additionalProperties === 'object') return 'object of strings'
  return escaped([type].flat().join(' or '))
}

const code = (value: unknown): string => `<code>${escaped(String(value))}</code>`

function reference(ref: string): string {
  const name = ref.split('/').at(-1) ?? ''
  return `<a href="#schema-${name}">${escaped(name)}</a>`
}

const bounds: Readonly<Record<string, (value: unknown) => string>> = {
  minimum: (value) => `At least ${value}.`,
  maximum: (value) => `At most ${value}.`,
  maxLength: (value) => `At most ${value} characters.`,
  maxProperties: (value) => `At most ${value} pairs.`,
  pattern: (value) => `Pattern \`${value}\`.`,
  default: (value) => `Default \`${JSON.stringify(value)}\`.`,
  examples: (value) => `For example ${(value as unknown[]).map((one) => `\`${one}\``).join(' or ')}.`,
}

export function meaning(schema: JsonSchema): string {
  const rules = Object.entries(bounds).flatMap(([name, say]) => (name in schema ? [say(schema[name])] : []))
  return inline(
    [...(typeof schema['description'] === 'string' ? [schema['description']] : []), ...rules].join(' '),
  )
}
