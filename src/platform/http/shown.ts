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
