// What is measured.
import type { Variant } from './result.ts'

export interface Target {
  readonly variant: Variant
  /** Requests go to them in turn. */
  readonly origins: readonly string[]
  /** The measured processes; none of a deployment. */
  readonly pids: readonly number[]
  /** Of a program that has a provider's address of its own; see `Reactions`. */
  readonly name?: string
  /** How long nothing comes until it is done, where it polls. */
  readonly settleMs?: number
}
