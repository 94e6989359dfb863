// State machines in SQL: which transitions a statement may make, taken from the table of the machine.
import { type Machine, sourcesOf } from '../../shared/machine.ts'
import type { Fragment, Sql } from './sql.ts'

/**
 * States as literals, for `in (...)`. Parameters would hide them from the planner, which then uses no partial
 * index. Only for constants of our own: the values are not escaped.
 */
export const literals = (sql: Sql, states: readonly string[]): Fragment =>
  sql.unsafe(states.map((state) => `'${state}'`).join(', ') || 'null') as unknown as Fragment

/** The states that may change to `to`, for `in (...)`. */
export const sources = <State extends string>(sql: Sql, machine: Machine<State>, to: State): Fragment =>
  literals(sql, sourcesOf(machine, to))

/** True if the machine permits the transition between two expressions, or if both are the same state. */
export function permits<State extends string>(
  sql: Sql,
  machine: Machine<State>,
  { from, to }: { readonly from: Fragment; readonly to: Fragment },
): Fragment {
  const moves = (Object.keys(machine) as State[]).flatMap((state) =>
    machine[state].map((next) => `('${state}', '${next}')`),
  )
  const listed = sql.unsafe(moves.join(', ')) as unknown as Fragment
  return sql`(${from} = ${to} or (${from}, ${to}) in (${listed}))`
}
