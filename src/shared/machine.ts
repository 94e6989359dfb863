// State machines as data: a table from each state to the states that may follow it. Code checks transitions
// with the tables, and SQL takes its permitted source states from them (platform/postgres/states.ts).

export type Machine<State extends string> = Readonly<Record<State, readonly State[]>>

export const canMove = <State extends string>(machine: Machine<State>, from: State, to: State): boolean =>
  machine[from].includes(to)

export const isTerminal = <State extends string>(machine: Machine<State>, state: State): boolean =>
  machine[state].length === 0

/** The states that may change to `to`. */
export const sourcesOf = <State extends string>(machine: Machine<State>, to: State): State[] =>
  (Object.keys(machine) as State[]).filter((from) => machine[from].includes(to))
