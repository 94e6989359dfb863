// Works through a batch: what concerns the same conversation or call one after the other, everything else side by side.
import type { ProviderUpdate } from '../contract/provider-updates.ts'
import { DeadlineExceeded } from '../shared/deadline.ts'

/** Resolves when the update is durable, or known and of no effect. */
export type ApplyUpdate = (update: ProviderUpdate) => Promise<void>

export interface ApplyOptions {
  readonly apply: ApplyUpdate
  /** For the whole batch. What has not begun by then never does; what has is no longer waited for. */
  readonly timeoutMs: number
}

const AT_ONCE = 64

/** Every update is tried whatever became of those before it. Answers one error for each that is not applied. */
export async function applyInOrder(
  updates: readonly ProviderUpdate[],
  { apply, timeoutMs }: ApplyOptions,
): Promise<unknown[]> {
  const errors: unknown[] = []
  const deadline = startDeadline(timeoutMs)
  const queues = inQueues(updates).values()
  const tryOne = async (update: ProviderUpdate) => {
    try {
      await (deadline.isOver() ? deadline.over : Promise.race([apply(update), deadline.over]))
    } catch (error) {
      errors.push(error)
    }
  }
  const work = async () => {
    for (const queue of queues) for (const update of queue) await tryOne(update)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, updates.length) }, work))
  deadline.stop()
  return errors
}

function startDeadline(ms: number) {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isOver = true
      reject(new DeadlineExceeded('a provider webhook'))
    }, ms)
  })
  // Nobody may be waiting when it comes.
  over.catch(() => {})
  return { over, isOver: () => isOver, stop: () => clearTimeout(timer) }
}

function inQueues(updates: readonly ProviderUpdate[]): Map<string, ProviderUpdate[]> {
  const queues = new Map<string, ProviderUpdate[]>()
  for (const update of updates) {
    const key = orderKey(update)
    const queue = queues.get(key)
    if (queue) queue.push(update)
    else queues.set(key, [update])
  }
  for (const queue of queues.values()) queue.sort(byTime)
  return queues
}

// A webhook lists calls before statuses and times are whole seconds: unless the end of a call goes last, one that was
// declined would seem to have rung out.
const byTime = (a: ProviderUpdate, b: ProviderUpdate): number =>
  a.at.getTime() - b.at.getTime() || Number(a.type === 'callTerminate') - Number(b.type === 'callTerminate')

function orderKey(update: ProviderUpdate): string {
  switch (update.type) {
    case 'inboundMessage':
      return `${update.phoneNumberId} ${update.from}`
    case 'messageStatus':
      return `${update.phoneNumberId} ${update.recipientWaId ?? update.providerMessageId}`
    case 'userPreference':
      return `${update.phoneNumberId} ${update.waId}`
    case 'callConnect':
    case 'callStatus':
    case 'callTerminate':
      return update.wacid
    case 'templateStatus':
    case 'templateCategory':
      return `${update.wabaId} ${update.name}`
    case 'numberQuality':
      return update.number
  }
}
