// Which rows of a list are selected. A click with Shift selects everything between it and the last click. Pure.

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The row of the last click, where a range begins. */
  readonly anchor: string | undefined
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined }

interface Click {
  readonly id: string
  readonly isOn: boolean
  readonly isRange: boolean
}

/** `order`: the rows as they are shown. */
export function withClick(
  { ids, anchor }: Selection,
  order: readonly string[],
  { id, isOn, isRange }: Click,
): Selection {
  const from = isRange && anchor !== undefined ? order.indexOf(anchor) : -1
  const to = order.indexOf(id)
  const range = from < 0 || to < 0 ? [id] : order.slice(Math.min(from, to), Math.max(from, to) + 1)
  const next = new Set(ids)
  for (const one of range) {
    if (isOn) next.add(one)
    else next.delete(one)
  }
  return { ids: next, anchor: id }
}

/** All rows, or none if all are selected already. */
export const withAll = ({ ids }: Selection, order: readonly string[]): Selection =>
  order.every((id) => ids.has(id)) ? nothingSelected : { ids: new Set(order), anchor: undefined }

/** Without rows that are no longer shown. */
export const within = ({ ids }: Selection, order: readonly string[]): readonly string[] =>
  order.filter((id) => ids.has(id))
