// The port of the ownership directory: which node owns an actor. Redis implements it. A wrong answer is
// harmless, because only the epoch in Postgres authorises an owner.
import type { ActorKind } from './actor.ts'

export interface NodeRef {
  readonly nodeId: string
  /** Session: one incarnation of one process. */
  readonly sid: string
  /** Base URL of the node's internal port. */
  readonly address: string
}

export type Claim =
  /** `deadSid`: the session of the former owner, if that session has certainly ended. */
  | { readonly type: 'mine'; readonly deadSid?: string | undefined }
  | { readonly type: 'theirs'; readonly owner: NodeRef }
  /** The directory is unreachable. */
  | { readonly type: 'unavailable' }

/** What this process last knew of a session: for as long as the directory is unreachable. */
export type Recalled =
  | { readonly type: 'alive'; readonly owner: NodeRef }
  /** Certainly: its actors can be taken over without a silence. */
  | { readonly type: 'ended' }
  /** It was not seen alive when the directory was last read. */
  | { readonly type: 'expired' }

export interface Ownership {
  readonly sid: string
  /** Idempotent. Claiming an owned actor again keeps its entry from expiring. Never throws. */
  claim(kind: ActorKind, id: string): Promise<Claim>
  /** Records the epoch that Postgres assigned. Nothing waits for it. */
  recordEpoch(kind: ActorKind, id: string, epoch: number): void
  recall(sid: string): Recalled
  /** Monotonic clock: what Postgres confirmed before it does not count, because this process stood still. */
  resumedAt(): number
  /** Never throws: an entry that remains expires, or is taken over once its session has ended. */
  release(kind: ActorKind, ids: readonly string[]): Promise<void>
}
