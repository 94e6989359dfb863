// Reads and validates the query of a request.
import type * as v from 'valibot'
import type { HttpRequest } from './exchange.ts'
import type { Route, Schema } from './route.ts'
import { isShownAsObject } from './shown.ts'
import { type Checked, check } from './validate.ts'

/** Each parameter once, by the schema of the route; without one, the route takes none. */
export function readQuery(route: Route<never>, request: HttpRequest): Checked {
  // In an object without a prototype, `__proto__` is an ordinary name.
  const values: Record<string, string> = Object.create(null)
  const repeated = new Set<string>()
  for (const [name, value] of request.query) {
    if (name in values) repeated.add(name)
    values[name] = value
  }
  if (repeated.size > 0) return refusedQuery([...repeated], 'must not be repeated')
  if (route.query) return check(route.query, withMaps(route.query, values))
  const unknown = Object.keys(values)
  return unknown.length > 0
    ? refusedQuery(unknown, 'is not a known parameter')
    : { ok: true, value: undefined }
}

/** Gathers `name[key]=value` for the parameters that are maps. Other names stay, and the schema refuses them. */
function withMaps(schema: Schema, values: Readonly<Record<string, string>>): Record<string, unknown> {
  const { entries = {} } = schema as { entries?: Record<string, v.GenericSchema> }
  const plain: Record<string, unknown> = Object.create(null)
  const maps: Record<string, Record<string, string>> = Object.create(null)
  for (const [name, value] of Object.entries(values)) {
    const [, map, key] = /^(\w+)\[(.*)\]$/s.exec(name) ?? []
    if (map !== undefined && key !== undefined && isMap(entries, map)) {
      maps[map] ??= Object.create(null) as Record<string, string>
      maps[map][key] = value
    } else plain[name] = value
  }
  // A map that is also there without a key is refused for that.
  return Object.assign(maps, plain)
}

const isMap = (entries: Readonly<Record<string, v.GenericSchema>>, name: string): boolean => {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
  return entry !== undefined && isShownAsObject(entry)
}

const refusedQuery = (names: readonly string[], message: string) =>
  ({ ok: false, details: names.slice(0, 20).map((path) => ({ path, message })) }) as const
