// An operation of the document, as the page reads it.
import type { JsonSchema } from '../../http/shown.ts'
import type { OpenApiDocument } from '../openapi/document.ts'

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
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

/** What a path parameter is in examples: an id of the resource that the path begins with. */
export function exampleOf({ schema }: Parameter): string {
  const prefix = /^\^([a-z]+_)/.exec(String(schema['pattern'] ?? ''))?.[1]
  return prefix === undefined ? '' : `${prefix}01m7x2p9wpemg8tyspapjpqf9p`
}
