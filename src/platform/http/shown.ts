// Metadata that the API reference needs beyond a schema. It does not change what the schema accepts.
import * as v from 'valibot'

/** Keywords of JSON Schema. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * Replaces the derived JSON Schema in the reference, because JSON Schema cannot express checks and
 * transforms. Must come before the first transform of its pipe.
 */
export const shownAs = <Input>(json: JsonSchema) => v.metadata<Input, { json: JsonSchema }>({ json })

export const about = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text))

/** Whether the reference shows the schema as an object. In a query, the parameter is then `name[key]=value`. */
export const isShownAsObject = (schema: v.GenericSchema): boolean =>
  'wrapped' in schema
    ? isShownAsObject(schema.wrapped as v.GenericSchema)
    : (v.getMetadata(schema) as { json?: JsonSchema }).json?.['type'] === 'object'
