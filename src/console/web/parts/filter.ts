// What a filter of a list is.
import { place } from '../core/router.ts'
import type { Option } from './field.tsx'

export interface Filter {
  /** The name of the query parameter. */
  readonly name: string
  readonly label: string
  /** Without options the filter is a text. */
  readonly options?: readonly Option[]
  /** Several options at once, with commas between them in the address. */
  readonly isMany?: boolean
  readonly placeholder?: string
  readonly hint?: string
  /** A date and time, in the operator's time zone. */
  readonly isTime?: boolean
  /** Of a time: the parameter of its end. The filter is then a period, with presets. */
  readonly until?: string
}

/** The values of filters in the address. */
export const filterValues = (names: readonly string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.map((name) => [name, place.value.query.get(name) ?? undefined]))
