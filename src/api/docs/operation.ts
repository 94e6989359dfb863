// The parts of an OpenAPI operation that the reference page reads.
import type { JsonSchema } from '../../platform/http/shown.ts'
import type { OpenApiDocument } from '../openapi/document.ts'

export interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface Response {
  readonly $ref?: string
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}

export interface Place {
  readonly document: OpenApiDocument
  readonly method: string
  readonly path: string
}

/** An example id with the prefix of the parameter's pattern; for a parameter that is not an id, its first example. */
export function exampleOf({ schema }: Parameter): string {
  const prefix = /^\^([a-z]+_)/.exec(String(schema['pattern'] ?? ''))?.[1]
  if (prefix !== undefined) return `${prefix}01m7x2p9wpemg8tyspapjpqf9p`
  const [example = ''] = (schema['examples'] ?? []) as readonly unknown[]
  return String(example)
}

/** A body has one example, or several with names. */
export const examplesOf = ({ example, examples = {} }: Media): readonly [title: string, value: unknown][] =>
  example === undefined
    ? Object.entries(examples).map(([name, { summary = name, value }]) => [`Example: ${summary}`, value])
    : [['Example', example]]

/** The JSON body that a reader begins with: the first example. Undefined where the operation takes none. */
export function firstBody({ requestBody }: Operation): unknown {
  const media = requestBody?.content['application/json']
  return media && examplesOf(media)[0]?.[1]
}

/** Follows a reference to a shared response. */
export function resolve(response: Response, { components }: OpenApiDocument): Response {
  const name = response.$ref?.split('/').at(-1)
  return name === undefined ? response : (components['responses']?.[name] as unknown as Response)
}
