// The forwards of this process whose outcome is not in the row yet. A call may be loaded again meanwhile, because a
// commit was slow. Its row then looks as after a crash during the forward, which would be repeated.

import type { EffectContext } from '../../platform/actors/actor.ts'
import type { CallMessage, ForwardOutcome } from '../call.messages.ts'

type Context = EffectContext<CallMessage>

export interface OwnForwards {
  begin(context: Context): void
  ended(id: string, outcome: ForwardOutcome): void
  has(id: string): boolean
  /** A new incarnation goes live: it gets the outcome, now or when it is known. */
  adopt(context: Context): void
  /** The row has the outcome, by this epoch. */
  settled(id: string, epoch: number): void
}

interface Entry {
  readonly forgetting: NodeJS.Timeout
  context: Context
  outcome: ForwardOutcome | undefined
}

/** Afterwards nobody rings any more, and the row may say that it does not know what became of the forward. */
const forgetMs = 120_000

export function createOwnForwards(): OwnForwards {
  const entries = new Map<string, Entry>()
  // With its timer, which would otherwise keep the actor of each call in memory.
  const forget = (id: string) => {
    clearTimeout(entries.get(id)?.forgetting)
    entries.delete(id)
  }
  return {
    begin(context) {
      forget(context.id)
      const forgetting = setTimeout(() => forget(context.id), forgetMs).unref()
      entries.set(context.id, { forgetting, context, outcome: undefined })
    },
    ended(id, outcome) {
      const entry = entries.get(id)
      if (!entry) return
      entry.outcome = outcome
      entry.context.post({ type: 'forwarded', outcome })
    },
    has: (id) => entries.has(id),
    adopt(context) {
      const entry = entries.get(context.id)
      if (!entry) return
      entry.context = context
      if (entry.outcome) context.post({ type: 'forwarded', outcome: entry.outcome })
    },
    settled(id, epoch) {
      if (entries.get(id)?.context.epoch === epoch) forget(id)
    },
  }
}
