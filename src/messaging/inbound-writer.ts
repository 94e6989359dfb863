// Inbound messages share statements. Those of one conversation are written in the order in which they came.
import type { WrittenDelivery } from '../contract/dispatch.ts'
import { Batcher } from '../shared/batcher.ts'
import { oneUnlessHeldUp } from '../shared/concurrency.ts'
import { KeyedBatcher } from '../shared/keyed-batcher.ts'
import type { InboundWrite, MessageStore } from './ports.ts'

/** Undefined, and nothing is written, where the contact was erased or got another address since it was read. */
export type WriteInbound = (write: InboundWrite) => Promise<readonly WrittenDelivery[] | undefined>

type Written = Awaited<ReturnType<WriteInbound>>

/**
 * What others have locked waits aside, so that it holds up its own conversation only. So does what the shared statement
 * cannot write.
 */
export function createInboundWriter(
  store: Pick<MessageStore, 'insertInbound' | 'tryInbounds'>,
): WriteInbound {
  const patient = new Batcher<InboundWrite, Written>({
    ...{ maxItems: 1, maxWaiting: 10_000, concurrency: 4 },
    flush: (writes) => Promise.all(writes.map((write) => store.insertInbound(write))),
  })
  const alone = new Batcher<InboundWrite, Written | 'again'>({
    ...{ maxItems: 1, maxWaiting: 10_000, concurrency: 4 },
    flush: (writes) => store.tryInbounds(writes).then((tries) => [...tries]),
  })
  const writeAlone = async (write: InboundWrite): Promise<Written> => {
    const written = await alone.add(write)
    return written === 'again' ? patient.add(write) : written
  }
  const shared = new KeyedBatcher<InboundWrite, Written>({
    keyOf: ({ conversationId }) => conversationId,
    ...{ maxItems: 200, maxWaiting: 10_000, ...oneUnlessHeldUp },
    flush: async (writes) => {
      const together = shareable(writes)
      const tries = together.length === 0 ? [] : await store.tryInbounds(together)
      const written = new Map(together.map((write, index) => [write, tries[index] ?? 'again']))
      const last = new Map<string, Promise<unknown>>()
      return writes.map((write) => {
        const one = written.get(write)
        if (one !== undefined && one !== 'again') return one
        const { conversationId } = write
        const next = one === 'again' ? () => patient.add(write) : () => writeAlone(write)
        const result = last.get(conversationId)?.then(next, next) ?? next()
        last.set(conversationId, result)
        return result
      })
    },
  })
  return (write) => shared.add(write)
}

/** What follows in its conversation on something that goes alone goes alone too. */
function shareable(writes: readonly InboundWrite[]): InboundWrite[] {
  const others = new Set<string>()
  return writes.filter((write) => {
    if (!canShare(write)) others.add(write.conversationId)
    return !others.has(write.conversationId)
  })
}

/** A plain message. What names or changes another one, or the person's consent, has effects of its own. */
const canShare = ({ references, optChange, details, effects }: InboundWrite): boolean =>
  references.length === 0 &&
  optChange === undefined &&
  effects.isShown &&
  details?.callPermission === undefined &&
  details?.edit === undefined &&
  details?.revoke === undefined
