// What the API reference says of a schema where the schema alone does not say it. Neither changes what is accepted.
import * as v from 'valibot'

/** Keywords of JSON Schema. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * The form callers see, instead of what can be derived: for checks and transforms, which JSON Schema cannot say.
 * Stands before the first transform of its pipe.
 */
export const shownAs = <Input>(json: JsonSchema) => v.metadata<Input, { json: JsonSchema }>({ json })

export const about = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text))
