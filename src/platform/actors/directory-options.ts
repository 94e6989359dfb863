// What a directory of actors is given, and what it reports.
import type { Clock } from '../../shared/clock.ts'
import type { ActorDefinition, ActorHost } from './actor.ts'
import type { DropReason } from './cell.ts'
import type { Instant } from './guard.ts'
import type { Refusal } from './mailbox-entry.ts'
import type { Claim, Ownership } from './ownership.ts'

export type DirectoryEvent =
  | { readonly type: 'dropped'; readonly id: string; readonly epoch: number; readonly reason: DropReason }
  | { readonly type: 'faulted'; readonly id: string; readonly error: unknown }
  /** The definition threw on this message, which is not handled again. The actor is loaded again. */
  | { readonly type: 'parked'; readonly id: string; readonly messageType: string; readonly error: unknown }
  /** An accepted message could not reach an actor any more. A hint or a row elsewhere replaces it. */
  | { readonly type: 'lost'; readonly id: string; readonly refusal: Refusal }

export interface DirectoryOptions<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly definition: ActorDefinition<State, Message, Tx, Effect>
  readonly host: ActorHost<State, Message, Tx, Effect>
  readonly ownership: Ownership
  readonly clock: Clock
  /** The settings GUARD and SESSION_RENEW. */
  readonly guardMs: number
  readonly confirmEveryMs: number
  /** The most actors in memory. Beyond it, the longest idle ones leave. */
  readonly maxActors?: number
  readonly turnLimitMs?: number
  /** How long actors that leave may wait to be released together. Without it they do not wait. */
  readonly releaseLingerMs?: number
  /** Takes accepted messages whose actor has moved to another node. True if it will deliver them. */
  readonly forward?: (id: string, message: Message) => boolean
  readonly observe?: (event: DirectoryEvent) => void
}

export interface Born<Message> {
  readonly first?: Message | undefined
  readonly asked?: Instant | undefined
  readonly claimed?: Promise<Claim> | undefined
}
