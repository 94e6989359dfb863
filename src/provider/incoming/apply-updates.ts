// Applies the updates of a webhook, each in the feature that it concerns: in order within one conversation or
// call, concurrently otherwise.
import type { ApplyCallUpdate } from '../../calls/apply-call-update.ts'
import type { AccountUpdate } from '../../contract/account-health.ts'
import type { UpdateOutcome } from '../../contract/inbound-elements.ts'
import type {
  ProviderUpdate,
  TemplateCategoryUpdate,
  TemplateContentUpdate,
  TemplateStatusUpdate,
} from '../../contract/provider-updates.ts'
import { orderKey } from '../../contract/update-order.ts'
import type { MessageUpdates } from '../../messaging/apply-message-updates.ts'
import { DeadlineExceeded, withDeadline } from '../../shared/deadline.ts'

/** Resolves when the update is durable, or is already known and has no effect. */
export type ApplyUpdate = (update: ProviderUpdate) => Promise<UpdateOutcome>

export interface UpdateTargets {
  readonly messages: MessageUpdates
  readonly applyCallUpdate: ApplyCallUpdate
  /** False when the update concerns no template that we know. */
  readonly applyTemplateChange: (update: TemplateStatusUpdate | TemplateCategoryUpdate) => Promise<boolean>
  readonly templateEdited: (update: TemplateContentUpdate) => void
  /** False when no workspace has the account. */
  readonly applyAccountUpdate: (update: AccountUpdate) => Promise<boolean>
  readonly ignored: (type: string) => void
}

export const createApplyUpdate = (targets: UpdateTargets): ApplyUpdate =>
  async function applyUpdate(update) {
    switch (update.type) {
      case 'messageStatus':
        return targets.messages.applyStatus(update)
      case 'inboundMessage':
        return targets.messages.applyInbound(update)
      case 'callConnect':
      case 'callStatus':
      case 'callTerminate':
        return targets.applyCallUpdate(update)
      case 'templateStatus':
      case 'templateCategory':
        if (await targets.applyTemplateChange(update)) return 'applied'
        targets.ignored(update.type)
        return 'unknownTemplate'
      case 'templateContent':
        targets.templateEdited(update)
        return 'applied'
      case 'identityChange':
        return targets.messages.applyIdentityChange(update)
      case 'accountUpdate':
        if (await targets.applyAccountUpdate(update)) return 'applied'
        targets.ignored(update.type)
        return 'unknownAccount'
      case 'userPreference':
        return targets.messages.applyPreference(update)
    }
  }

export interface ApplyOptions {
  readonly apply: (update: ProviderUpdate) => Promise<unknown>
  /** For the whole batch. After it, no further update starts and running updates are not awaited. */
  readonly timeoutMs: number
}

const AT_ONCE = 64

/** A failed update does not stop the later ones. Returns one error for each update that was not applied. */
export async function applyInOrder(
  updates: readonly ProviderUpdate[],
  options: ApplyOptions,
): Promise<unknown[]> {
  const [only] = updates
  return only && updates.length === 1 ? applyOnly(only, options) : applyAll(updates, options)
}

/** Nearly every webhook has one: it needs no order. */
async function applyOnly(update: ProviderUpdate, { apply, timeoutMs }: ApplyOptions): Promise<unknown[]> {
  try {
    await withDeadline(apply(update), timeoutMs, webhook)
    return []
  } catch (error) {
    return [error]
  }
}

const webhook = 'a provider webhook'

async function applyAll(
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
      reject(new DeadlineExceeded(webhook))
    }, ms)
  })
  // Avoids an unhandled rejection when no update is awaited at the deadline.
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

// Within a second, `callTerminate` goes last. A webhook lists calls before statuses and its times are whole
// seconds, so otherwise a declined call would look unanswered.
const byTime = (a: ProviderUpdate, b: ProviderUpdate): number =>
  secondOf(a) - secondOf(b) ||
  Number(a.type === 'callTerminate') - Number(b.type === 'callTerminate') ||
  a.at.getTime() - b.at.getTime()

const secondOf = ({ at }: ProviderUpdate): number => Math.floor(at.getTime() / 1_000)
