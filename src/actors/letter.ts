// A message under way to an actor, together with whoever wants to know what became of it.
import type { Clock, Timer } from '../shared/clock.ts'
import type { ReplyTo } from './actor.ts'
import type { NodeRef } from './ownership.ts'

/** Why a message did not reach its actor here. */
export type Refusal =
  | { readonly type: 'full' }
  | { readonly type: 'notFound' }
  | { readonly type: 'theirs'; readonly owner: NodeRef }
  /** This process is draining and does not have the actor (any more): another process may take it. */
  | { readonly type: 'leaving' }
  /** A backing service is away; for an ask also: its turn failed, so that its outcome is unknown. */
  | { readonly type: 'unavailable' }

/** `accepted`: it is in the mailbox of a live actor. Nothing durable has happened yet. */
export type TellResult = { readonly type: 'accepted' } | Refusal

export type AskResult =
  | { readonly type: 'answered'; readonly value: unknown }
  | { readonly type: 'timedOut' }
  | Refusal

export interface Letter<Message> {
  readonly message: Message
  readonly ask: Ask | undefined
  /** How often an incarnation ended with this letter unread; bounds a fight of two owners. */
  returns: number
  accepted(): void
  refused(refusal: Refusal): void
}

let lastReply = 0

/** One awaited answer. Settles exactly once, at its deadline at the latest. */
export class Ask {
  readonly replyTo: ReplyTo
  readonly answer: Promise<AskResult>
  /** Called once it is settled, so that its actor forgets it. */
  onSettled: () => void = () => {}
  #resolve: ((result: AskResult) => void) | undefined
  readonly #timer: Timer

  constructor(clock: Clock, deadlineMs: number) {
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
    this.onSettled()
    resolve(result)
  }
}

export const tellLetter = <Message>(
  message: Message,
  done: (result: TellResult) => void,
): Letter<Message> => ({
  message,
  ask: undefined,
  returns: 0,
  accepted: () => done({ type: 'accepted' }),
  refused: done,
})

export const askLetter = <Message>(message: Message, ask: Ask): Letter<Message> => ({
  message,
  ask,
  returns: 0,
  accepted: () => {},
  refused: (refusal) => ask.settle(refusal),
})
