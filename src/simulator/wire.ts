import * as v from 'valibot'
import { ProviderError, wrongParameter } from './provider-error.ts'

type Codes = Readonly<{
  /** The parameter whose value is read, for the error's details. */
  inside?: string
  missing?: number
  invalid?: number
}>

/** Parses a request body with a schema. Throws the provider's error when it does not match. */
export function readWire<const S extends v.GenericSchema>(
  schema: S,
  body: unknown,
  { inside, missing = 100, invalid = 100 }: Codes = {},
): v.InferOutput<S> {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const path = pathOf([
    ...(inside === undefined ? [] : [inside]),
    ...(issue.path ?? []).map(({ key }) => key),
  ])
  if (issue.received === 'undefined') throw wrongParameter(missing, `The parameter ${path} is required.`)
  throw wrongParameter(invalid, `Param ${path} ${issue.message}`)
}

/** The provider's way to write the place of a parameter: `template['components'][0]['type']`. */
function pathOf([first, ...rest]: readonly unknown[]): string {
  const steps = rest.map((key) => (typeof key === 'number' ? `[${key}]` : `['${String(key)}']`))
  return `${String(first ?? 'body')}${steps.join('')}`
}

/** Selects the requested fields of a node, as `?fields=a,b` does. `id` is always included. */
export function selectFields(
  record: Readonly<Record<string, unknown>>,
  fields: string | null,
  defaults: readonly string[],
): Record<string, unknown> {
  const names = fields === null ? defaults : fields.split(',').map((name) => name.trim())
  const picked: Record<string, unknown> = {}
  for (const name of [...names, 'id']) if (record[name] !== undefined) picked[name] = record[name]
  return picked
}

const DEFAULT_LIMIT = 25
const LARGEST_LIMIT = 500

type Page = Readonly<{ data: unknown[]; paging?: unknown }>

/** One page of a list, with cursors like the provider's: opaque texts that contain a position. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  self: string,
  view: (one: T) => unknown,
): Page {
  const limit = Math.min(
    Math.max(Number(query.get('limit') ?? DEFAULT_LIMIT) || DEFAULT_LIMIT, 1),
    LARGEST_LIMIT,
  )
  const start = startOf(query, limit)
  const data = all.slice(start, start + limit)
  if (data.length === 0) return { data: [] }
  const end = start + data.length
  const cursors = { before: cursor(start), after: cursor(end) }
  const link = (key: 'after' | 'before', value: string) => {
    const params = new URLSearchParams(query)
    params.delete('after')
    params.delete('before')
    params.set(key, value)
    return `${self}?${params}`
  }
  return {
    data: data.map(view),
    paging: {
      cursors,
      ...(end < all.length ? { next: link('after', cursors.after) } : {}),
      ...(start > 0 ? { previous: link('before', cursors.before) } : {}),
    },
  }
}

const cursor = (position: number): string => Buffer.from(`p${position}`).toString('base64url')

function position(text: string): number {
  const found = /^p(\d+)$/.exec(Buffer.from(text, 'base64url').toString())
  if (found === null) throw new ProviderError(100, 'Invalid cursor')
  return Number(found[1])
}

function startOf(query: URLSearchParams, limit: number): number {
  const after = query.get('after')
  if (after !== null) return position(after)
  const before = query.get('before')
  return before === null ? 0 : Math.max(position(before) - limit, 0)
}
