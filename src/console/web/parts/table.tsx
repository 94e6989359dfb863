// A table of records with keyset paging. If the first cell of a row is a link, the whole row is clickable. Where there is
// no room for columns, each row is a card, with the titles of the columns beside the values.
import type { ComponentChildren } from 'preact'
import { isOfFilter } from '../core/list-reader.ts'
import type { List } from '../core/load.ts'
import { Button } from './button.tsx'
import { EmptyState, ErrorState, Problem, Skeleton } from './states.tsx'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean
  readonly align?: 'end'
  /** Only screen readers get the title, as above a column of buttons. */
  readonly isTitleHidden?: boolean
  /** In place of the title, as a checkbox for all rows. The link of the row is then in the next column. */
  readonly head?: ComponentChildren
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly hrefOf?: (row: Row) => string
  readonly isCurrent?: (row: Row) => boolean
}

export function Table<Row extends { readonly id: string }>({
  label,
  columns,
  rows,
  hrefOf,
  isCurrent,
}: Props<Row>) {
  const linkAt = columns.findIndex(({ head }) => head === undefined)
  return (
    // A table that is too wide scrolls, with the keyboard as well.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section with a label would be the same region.
    <div class="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table {...roleOf('table')}>
        <thead>
          <tr {...roleOf('row')}>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={cellClass(column)} {...roleOf('columnheader')}>
                {column.head ??
                  (column.isTitleHidden ? <span class="visually-hidden">{column.title}</span> : column.title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.id}
              class={hrefOf && 'linked'}
              aria-current={isCurrent?.(row) ? 'true' : undefined}
              {...roleOf('row')}
            >
              {columns.map((column, index) => (
                <td
                  key={column.title}
                  class={cellClass(column)}
                  data-title={column.isTitleHidden || column.head ? undefined : onCard(column.title)}
                  {...roleOf('cell')}
                >
                  {index === linkAt && hrefOf ? (
                    <a class="row-link" href={hrefOf(row)}>
                      {column.cell(row)}
                    </a>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A card says `Time`, without the zone that stands once above a column. */
const onCard = (title: string): string => title.replace(/,.*/, '')

/** Not every browser takes what is laid out as a card for part of a table. */
const roleOf = (role: 'table' | 'row' | 'cell' | 'columnheader') => ({ role })

const cellClass = ({
  isMinor,
  isTitleHidden,
  align,
  head,
}: Pick<Column<never>, 'isMinor' | 'isTitleHidden' | 'align' | 'head'>): string | undefined =>
  [isMinor && 'minor', isTitleHidden && 'untitled', head && 'select', align].filter(Boolean).join(' ') ||
  undefined

/** A list in every state: loading, failed, `empty` without rows, or its rows with a button for more. */
export function ListTable<Row extends { readonly id: string }>({
  list,
  empty,
  ...table
}: Omit<Props<Row>, 'rows'> & { readonly list: List<Row>; readonly empty: ComponentChildren }) {
  const { rows, error, hasMore, isLoadingMore } = list
  // The sentence stands beside the filter, and to try again would not help.
  if (!rows && error && isOfFilter(error))
    return (
      <EmptyState icon="search" title="No results">
        A filter above needs another value.
      </EmptyState>
    )
  if (!rows) return error ? <ErrorState error={error} onRetry={list.reload} /> : <Skeleton />
  if (rows.length === 0) return <>{empty}</>
  return (
    <>
      <Table {...table} rows={rows} />
      <Problem error={error && !isOfFilter(error) ? error : undefined} />
      {hasMore && (
        <div class="load-more">
          <Button isBusy={isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  )
}
