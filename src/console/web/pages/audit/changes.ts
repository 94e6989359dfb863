// What differs between the two states that an audit entry keeps.

interface Change {
  readonly field: string
  readonly before: string
  readonly after: string
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return '—'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function changesOf(before: unknown, after: unknown): Change[] {
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .map((field) => ({ field, before: shown(old[field]), after: shown(fresh[field]) }))
    .filter(({ before: one, after: other }) => one !== other)
}
