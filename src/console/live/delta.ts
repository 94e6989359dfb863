// Computes the changes between two states of a topic: whole values for fields, upserts and removals in lists.

export type State = Readonly<Record<string, unknown>>

export interface ListDelta {
  readonly upsert: readonly Identified[]
  readonly remove: readonly string[]
}

export type Delta = Readonly<Record<string, unknown>>

interface Identified {
  readonly id: string
}

/** Undefined if nothing has changed. */
export function deltaOf(before: State, after: State): Delta | undefined {
  const delta: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(after)) {
    const former = before[name]
    if (isRecords(value) && isRecords(former)) {
      const list = listDelta(former, value)
      if (list) delta[name] = list
    } else if (JSON.stringify(former) !== JSON.stringify(value)) delta[name] = value
  }
  return Object.keys(delta).length === 0 ? undefined : delta
}

function listDelta(before: readonly Identified[], after: readonly Identified[]): ListDelta | undefined {
  const former = new Map(before.map((record) => [record.id, JSON.stringify(record)]))
  const upsert = after.filter((record) => former.get(record.id) !== JSON.stringify(record))
  const kept = new Set(after.map(({ id }) => id))
  const remove = before.flatMap(({ id }) => (kept.has(id) ? [] : [id]))
  return upsert.length + remove.length === 0 ? undefined : { upsert, remove }
}

const isRecords = (value: unknown): value is readonly Identified[] =>
  Array.isArray(value) && value.every((one) => typeof (one as Partial<Identified> | null)?.id === 'string')
