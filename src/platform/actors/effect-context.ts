// What an effect may do with the actor that it came from.
import type { EffectContext } from './actor.ts'

/** A class, because an accessor in an object literal is defined anew, slowly, for every cell. */
export class Context<Message> implements EffectContext<Message> {
  readonly id: string
  readonly epoch: number
  readonly post: (message: Message) => void
  readonly #signal: () => AbortSignal

  constructor(
    { id, epoch }: Pick<EffectContext<Message>, 'id' | 'epoch'>,
    { post, signal }: { readonly post: (message: Message) => void; readonly signal: () => AbortSignal },
  ) {
    this.id = id
    this.epoch = epoch
    this.post = post
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal()
  }
}
