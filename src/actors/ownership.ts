// The port that says which node owns an actor. Redis implements it; a wrong answer is harmless, since only the epoch
// in Postgres authorises (architecture 3.4).
import type { ActorKind } from './actor.ts'

export interface NodeRef {
  readonly nodeId: string
  /** Session: one incarnation of one process. */
  readonly sid: string
  /** Base URL of the node's internal port. */
  readonly address: string
}

export type Claim =
  /** `deadSid`: the session it was taken over from, when that one is known to be dead, not merely silent. */
  | { readonly type: 'mine'; readonly deadSid?: string | undefined }
  | { readonly type: 'theirs'; readonly owner: NodeRef }
  /** The directory is unreachable. */
  | { readonly type: 'unavailable' }

export interface Ownership {
  readonly sid: string
  /** Idempotent; claiming again what is mine keeps the entry from expiring. Never throws. */
  claim(kind: ActorKind, id: string): Promise<Claim>
  /** Records the epoch Postgres gave; not awaited by anybody. */
  recordEpoch(kind: ActorKind, id: string, epoch: number): void
  /** Never throws: an entry that stays behind expires, or is taken over once its session is gone. */
  release(kind: ActorKind, ids: readonly string[]): Promise<void>
}
