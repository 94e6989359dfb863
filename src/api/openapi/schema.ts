// Converts valibot schemas to JSON Schema 2020-12. A schema with a title becomes a component of that name.
import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { JsonSchema } from '../../platform/http/shown.ts'

/** `input`: the schema of a request. `output`: the schema of a response. */
export type Side = 'input' | 'output'

export interface SchemaBook {
  /** Returns the schema, or a reference when the schema became a component. */
  add(schema: v.GenericSchema, side: Side): JsonSchema
  /** By name, in alphabetical order. */
  components(): Record<string, JsonSchema>
}

export function createSchemaBook(): SchemaBook {
  const named = new Map<string, JsonSchema>()
  return {
    add: (schema, side) => hoist(convert(schema, side), named),
    components: () => Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

/** Converts one schema inline, without creating components. */
export function convert(schema: v.GenericSchema, side: Side): JsonSchema {
  const { $schema: _dialect, ...json } = toJsonSchema(schema, { ...config, typeMode: side })
  return tidy(json) as JsonSchema
}

const config: ConversionConfig = {
  target: 'draft-2020-12',
  // JSON Schema cannot express these rules. `shownAs` and descriptions document what callers need to know.
  ignoreActions: ['check', 'raw_check', 'partial_check', 'readonly', 'trim'],
  overrideAction: ({ valibotAction }) => {
    if (valibotAction.type !== 'metadata') return undefined
    const { metadata } = valibotAction as unknown as { metadata: { json?: JsonSchema } }
    return metadata.json
  },
  overrideSchema({ valibotSchema, jsonSchema }) {
    // Generators need the type beside a `const`.
    if (valibotSchema.type === 'literal')
      return {
        ...jsonSchema,
        type: typeof (valibotSchema as unknown as { literal: unknown }).literal as 'string',
      }
    // A `shownAs` in the same pipe supplies the JSON schema.
    if (valibotSchema.type === 'custom') return {}
    if ('entries' in valibotSchema) describeEntries(valibotSchema.entries as Entries, jsonSchema)
    return undefined
  },
}

type Entries = Readonly<Record<string, v.GenericSchema>>

/** Adds the descriptions that the library omits after a transform. */
function describeEntries(entries: Entries, json: { readonly properties?: unknown }): void {
  for (const [name, entry] of Object.entries(entries)) {
    const property = (json.properties as Record<string, unknown> | undefined)?.[name]
    const description = descriptionOf(entry)
    if (description !== undefined && typeof property === 'object' && property !== null)
      Object.assign(property, { description })
  }
}

function descriptionOf(schema: v.GenericSchema): string | undefined {
  if ('wrapped' in schema) return v.getDescription(schema) ?? descriptionOf(schema.wrapped as v.GenericSchema)
  return v.getDescription(schema)
}

/** Simplifies a schema: `type: [x, 'null']` for `anyOf`, no empty `required`, no rule without effect. */
function tidy(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(tidy)
  if (typeof json !== 'object' || json === null) return json
  const { anyOf, required, propertyNames, ...rest } = json as Record<string, unknown>
  const all = Object.entries({
    ...rest,
    ...(Array.isArray(required) && required.length === 0 ? {} : { required }),
    ...(isPlain(propertyNames) ? {} : { propertyNames }),
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, tidy(value)] as const]))
  const tidied = Object.fromEntries(all)
  if (!Array.isArray(anyOf)) return tidied
  return orNull(tidied, anyOf.map(tidy) as JsonSchema[])
}

const isPlain = (schema: unknown): boolean => JSON.stringify(schema) === '{"type":"string"}'

function orNull(around: Record<string, unknown>, anyOf: readonly JsonSchema[]): JsonSchema {
  const [some, none] = anyOf
  const isScalar = typeof some?.['type'] === 'string' && !/object|array/.test(some['type'])
  if (anyOf.length !== 2 || none?.['type'] !== 'null' || !isScalar) return { ...around, anyOf }
  const { type, enum: values, ...rest } = some
  const choices = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { type: [type, 'null'], ...choices, ...rest, ...around }
}

function hoist(json: JsonSchema, named: Map<string, JsonSchema>): JsonSchema {
  const inner = hoistInside(json, named) as JsonSchema
  const { title } = inner
  if (typeof title !== 'string') return inner
  const known = named.get(title)
  if (known && JSON.stringify(known) !== JSON.stringify(inner))
    throw new Error(`two schemas have the title ${title}`)
  named.set(title, inner)
  return { $ref: `#/components/schemas/${title}` }
}

function hoistInside(json: unknown, named: Map<string, JsonSchema>): unknown {
  if (Array.isArray(json)) return json.map((item) => hoistItem(item, named))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, hoistItem(value, named)]))
}

const hoistItem = (value: unknown, named: Map<string, JsonSchema>): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? hoist(value as JsonSchema, named)
    : hoistInside(value, named)
