// The part of JSON Schema 2020-12 that our own document uses. An unknown keyword is a fault, never a pass.
import type { OpenApiDocument } from '../../src/api/openapi/document.ts'
import type { JsonSchema } from '../../src/platform/http/shown.ts'

interface Place {
  readonly document: OpenApiDocument
  readonly path: string
}

type Rule = (value: unknown, requirement: unknown, schema: JsonSchema, place: Place) => string[]

/**
 * Lists by path what does not fit the schema; an empty list means that the value fits. An object schema that
 * does not say whether it allows further properties allows none here: a field that the document does not name
 * is a fault of the document.
 */
export function faults(document: OpenApiDocument, schema: JsonSchema, value: unknown): string[] {
  return check(value, schema, { document, path: '$' })
}

function check(value: unknown, schema: JsonSchema, place: Place): string[] {
  return Object.entries(schema).flatMap(([keyword, requirement]) => {
    const rule = rules[keyword]
    if (!rule) throw new Error(`${place.path}: the keyword ${keyword} is not checked here`)
    return rule(value, requirement, schema, place)
  })
}

const nothing: Rule = () => []

/** A rule for values of one kind. Other values pass it, as in JSON Schema. */
const on =
  <Value>(
    is: (value: unknown) => value is Value,
    fits: (value: Value, requirement: never) => boolean,
  ): Rule =>
  (value, requirement, _schema, { path }) =>
    !is(value) || fits(value, requirement as never)
      ? []
      : [`${path} is ${JSON.stringify(value)?.slice(0, 100)}, against ${JSON.stringify(requirement)}`]

type Fields = Record<string, unknown>
const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isList = (value: unknown): value is unknown[] => Array.isArray(value)
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isAnything = (_value: unknown): _value is unknown => true

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  number: isNumber,
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: isList,
  object: isFields,
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const rules: Readonly<Record<string, Rule>> = {
  ...{ title: nothing, description: nothing, examples: nothing, default: nothing },
  type: on(isAnything, (value, type: string | string[]) =>
    [type].flat().some((name) => kinds[name]?.(value)),
  ),
  enum: on(isAnything, (value, choices: unknown[]) => choices.includes(value)),
  const: on(isAnything, (value, only: unknown) => value === only),
  pattern: on(isText, (text, pattern: string) => new RegExp(pattern, 'u').test(text)),
  format: on(isText, (text, format: string) => format === 'date-time' && instant.test(text)),
  minLength: on(isText, (text, least: number) => [...text].length >= least),
  maxLength: on(isText, (text, most: number) => [...text].length <= most),
  minimum: on(isNumber, (number, least: number) => number >= least),
  maximum: on(isNumber, (number, most: number) => number <= most),
  minItems: on(isList, (list, least: number) => list.length >= least),
  maxItems: on(isList, (list, most: number) => list.length <= most),
  minProperties: on(isFields, (fields, least: number) => Object.keys(fields).length >= least),
  maxProperties: on(isFields, (fields, most: number) => Object.keys(fields).length <= most),
  required: on(isFields, (fields, names: string[]) => names.every((name) => name in fields)),
  items: (value, items, _schema, place) =>
    isList(value)
      ? value.flatMap((item, index) => check(item, items as JsonSchema, below(place, String(index))))
      : [],
  properties: checkProperties,
  additionalProperties: (value, rest, { properties = {} }, place) =>
    isFields(value) && isFields(rest)
      ? Object.entries(value).flatMap(([name, inner]) =>
          name in (properties as Fields) ? [] : check(inner, rest, below(place, name)),
        )
      : [],
  propertyNames: (value, names, _schema, place) =>
    isFields(value) ? Object.keys(value).flatMap((name) => check(name, names as JsonSchema, place)) : [],
  anyOf: checkChoice,
  oneOf: checkChoice,
  $ref: (value, ref, _schema, place) => check(value, resolve(place.document, String(ref)), place),
}

const below = ({ document, path }: Place, name: string): Place => ({ document, path: `${path}.${name}` })

function checkProperties(...[value, properties, schema, place]: Parameters<Rule>): string[] {
  if (!isFields(value)) return []
  const known = properties as Readonly<Record<string, JsonSchema>>
  const isOpen = 'additionalProperties' in schema && schema['additionalProperties'] !== false
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(known, name) ? known[name] : undefined
    if (property) return check(inner, property, below(place, name))
    return isOpen ? [] : [`${place.path}.${name} is not in the document`]
  })
}

function checkChoice(...[value, choices, _schema, place]: Parameters<Rule>): string[] {
  const all = (choices as JsonSchema[]).map((choice) => check(value, choice, place))
  return all.some((found) => found.length === 0) ? [] : all.flat()
}

/** Resolves a `$ref` inside the document. */
export function resolve(document: OpenApiDocument, ref: string): JsonSchema {
  const found = ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), document)
  if (!isFields(found)) throw new Error(`${ref} is nowhere in the document`)
  return found
}
