// State machines as data: a table from state to the states it may leave to. No other code compares statuses.

export type Machine<State extends string> = Readonly<Record<State, readonly State[]>>

export const canMove = <State extends string>(machine: Machine<State>, from: State, to: State): boolean =>
  machine[from].includes(to)

export const isTerminal = <State extends string>(machine: Machine<State>, state: State): boolean =>
  machine[state].length === 0

/** The states that may leave to `to`: what a store writes into `where status = any(...)`. */
export const sourcesOf = <State extends string>(machine: Machine<State>, to: State): State[] =>
  (Object.keys(machine) as State[]).filter((from) => machine[from].includes(to))
