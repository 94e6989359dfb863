// What the documentation says of a route beside what its schemas say.
import type { JsonSchema } from '../../platform/http/shown.ts'

export interface OperationNotes {
  /** The operationId. Generated clients use it as the name of the operation. */
  readonly id?: string
  readonly description?: string
  /** Meaning of the successful response. */
  readonly answer?: string
  /** Meaning of a 200 beside another success status: the response to an idempotent repeat. */
  readonly replay?: string
  /** Further responses that are not errors, such as 206 for a part of a file: response objects by status. */
  readonly also?: Readonly<Record<string, JsonSchema>>
  /** Example JSON bodies. */
  readonly request?: unknown
  /** Further examples of the request, by their summaries; `request` is then the first of all. */
  readonly requests?: Readonly<Record<string, unknown>>
  readonly response?: unknown
  /** Bodies of other media types: media type objects by media type. */
  readonly requestContent?: Readonly<Record<string, JsonSchema>>
  readonly responseContent?: Readonly<Record<string, JsonSchema>>
}
