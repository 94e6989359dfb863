// Applies a delta to a known state: field by field, and lists record by record.

type Fields = Readonly<Record<string, unknown>>

interface ListChange {
  readonly upsert?: readonly { readonly id: string }[]
  readonly remove?: readonly string[]
}

const isListChange = (value: unknown): value is ListChange =>
  typeof value === 'object' && value !== null && ('upsert' in value || 'remove' in value)

export function merged(state: Fields, delta: Fields): Fields {
  const next: Record<string, unknown> = { ...state }
  for (const [name, change] of Object.entries(delta)) {
    const before = state[name]
    next[name] =
      Array.isArray(before) && isListChange(change) ? mergedList(before as { id: string }[], change) : change
  }
  return next
}

/** Known records change in place. New ones come first, because lists show the newest first. */
function mergedList(
  before: readonly { readonly id: string }[],
  { upsert = [], remove = [] }: ListChange,
): readonly { readonly id: string }[] {
  const changed = new Map(upsert.map((record) => [record.id, record]))
  const gone = new Set(remove)
  const kept = before.filter(({ id }) => !gone.has(id)).map((record) => changed.get(record.id) ?? record)
  const known = new Set(before.map(({ id }) => id))
  return [...upsert.filter(({ id }) => !known.has(id)), ...kept]
}
