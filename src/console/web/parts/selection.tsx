// The column of checkboxes that selects rows.
import { useEffect, useRef } from 'preact/hooks'
import { nothingSelected, type Selection, withAll, withClick, within } from '../core/selection.ts'
import type { Column } from './table.tsx'

interface Props<Row> {
  readonly rows: readonly Row[]
  readonly selection: Selection
  /** What a row is called, for screen readers. */
  nameOf(row: Row): string
  onChange(selection: Selection): void
}

export function selectionColumn<Row extends { readonly id: string }>({
  rows,
  selection,
  nameOf,
  onChange,
}: Props<Row>): Column<Row> {
  const order = rows.map(({ id }) => id)
  return {
    title: 'Selected',
    head: <SelectAll {...{ selection, order, onChange }} />,
    cell: (row) => (
      <label class="select-box">
        <input
          type="checkbox"
          aria-label={`Select ${nameOf(row)}`}
          checked={selection.ids.has(row.id)}
          // Not the change: only a click knows whether Shift is held down. The space bar clicks too.
          onClick={(event) =>
            onChange(
              withClick(selection, order, {
                id: row.id,
                isOn: event.currentTarget.checked,
                isRange: event.shiftKey,
              }),
            )
          }
        />
      </label>
    ),
  }
}

function SelectAll({
  selection,
  order,
  onChange,
}: {
  readonly selection: Selection
  readonly order: readonly string[]
  onChange(selection: Selection): void
}) {
  const box = useRef<HTMLInputElement>(null)
  const selected = within(selection, order).length
  const isAll = selected === order.length && selected > 0
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected > 0 && !isAll
  })
  return (
    <label class="select-box">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all on this page"
        checked={isAll}
        onChange={() => onChange(isAll ? nothingSelected : withAll(selection, order))}
      />
    </label>
  )
}
