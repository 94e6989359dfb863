// A message on its way to an actor, with the callbacks that report its outcome to the sender.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { ReplyTo } from './actor.ts'
import type { NodeRef } from './ownership.ts'

/** Why a message did not reach its actor in this process. */
export type Refusal =
  | { readonly type: 'full' }
  | { readonly type: 'notFound' }
  | { readonly type: 'theirs'; readonly owner: NodeRef }
  /** This process is draining and does not have the actor: another process may take it. */
  | { readonly type: 'leaving' }
  /** A backing service is down. For an ask also: its turn failed, so its outcome is unknown. */
  | { readonly type: 'unavailable' }

/** `accepted`: the message is in the mailbox of a live actor. Nothing is durable yet. */
export type TellResult = { readonly type: 'accepted' } | Refusal

export type AskResult =
  | { readonly type: 'answered'; readonly value: unknown }
  | { readonly type: 'timedOut' }
  | Refusal

export interface MailboxEntry<Message> {
  readonly message: Message
  readonly ask: Ask | undefined
  /** How many incarnations ended with this entry unread. Limits the retries while two owners compete. */
  returns: number
  accepted(): void
  refused(refusal: Refusal): void
}

let lastReply = 0

/** One awaited answer. It settles exactly once, at the latest at its deadline. */
export class Ask {
  readonly replyTo: ReplyTo
  readonly isRepeatable: boolean
  readonly answer: Promise<AskResult>
  /** Where its actor remembers it until it is settled. Not a function: V8 would keep each ask until a full collection. */
  owedIn: Map<ReplyTo, Ask> | undefined
  #resolve: ((result: AskResult) => void) | undefined
  readonly #timer: Timer

  constructor(clock: Clock, deadlineMs: number, isRepeatable = false) {
    this.isRepeatable = isRepeatable
    lastReply += 1
    this.replyTo = `reply-${lastReply}` as ReplyTo
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#timer = clock.after(deadlineMs, () => this.settle({ type: 'timedOut' }))
  }

  get isSettled(): boolean {
    return this.#resolve === undefined
  }

  settle(result: AskResult): void {
    const resolve = this.#resolve
    if (!resolve) return
    this.#resolve = undefined
    this.#timer.cancel()
    this.owedIn?.delete(this.replyTo)
    resolve(result)
  }
}

export const tellEntry = <Message>(
  message: Message,
  done: (result: TellResult) => void,
): MailboxEntry<Message> => ({
  message,
  ask: undefined,
  returns: 0,
  accepted: () => done({ type: 'accepted' }),
  refused: done,
})

export const askEntry = <Message>(message: Message, ask: Ask): MailboxEntry<Message> => ({
  message,
  ask,
  returns: 0,
  accepted: () => {},
  refused: (refusal) => ask.settle(refusal),
})

export const refuseAll = <Message>(entries: readonly MailboxEntry<Message>[], refusal: Refusal): void => {
  for (const entry of entries) entry.refused(refusal)
}
