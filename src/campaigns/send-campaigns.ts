// The sending of the campaigns of one number: tokens first, then a claim of as many recipients, then their requests.
// Campaigns of a number take turns; numbers share the process through the slots.
import type { Clock } from '../shared/clock.ts'
import { type CampaignId, type NumberId, newId } from '../shared/ids.ts'
import { pause } from '../shared/pause.ts'
import type { CampaignSender } from './send-claimed.ts'
import type { SendSlots } from './send-slots.ts'
import type {
  CampaignRendering,
  CampaignSendStore,
  Claim,
  Pace,
  PickedRecipient,
  RunningCampaign,
} from './sending.ts'

export interface PumpPorts {
  readonly store: Pick<CampaignSendStore, 'running' | 'claim' | 'complete' | 'pause'>
  readonly pace: Pick<Pace, 'take' | 'unfence'>
  readonly slots: SendSlots
  readonly sender: Pick<CampaignSender, 'send'>
  readonly rendering: Pick<CampaignRendering, 'render'>
  readonly clock: Clock
  readonly log: { info(fields: object, event: string): void }
}

/** As many as one statement takes well, and a fifth of a second at the provider's highest rate. */
const maxBatch = 200
/** A number is looked after this long before others of the queue get their turn. */
const sliceMs = 10_000
/** How stale the list of a number's campaigns may be; a claim checks the epoch in any case. */
const knownForMs = 500
/** Claims of a few recipients cost as much as claims of many: tokens gather meanwhile. */
const tickMs = 100
const inFlightMs = 200
/** A longer wait is the queue's to do. */
const longestWaitMs = 1_000

/**
 * Sends for a number until its turn is over. Resolves with the time after which it is worth another turn in ms;
 * undefined where nothing of it is RUNNING.
 */
export type PumpNumber = (numberId: NumberId, signal: AbortSignal) => Promise<number | undefined>

export const createPump = (ports: PumpPorts): PumpNumber =>
  async function pumpNumber(numberId, signal) {
    const { clock } = ports
    const endsAt = clock.mono() + sliceMs
    const turns = new Turns(ports, numberId)
    while (!signal.aborted && clock.mono() < endsAt) {
      const startedAt = clock.mono()
      const campaigns = await turns.next()
      if (campaigns.length === 0) return undefined
      const waitMs = await serve(ports, campaigns, turns, signal)
      if (waitMs > longestWaitMs) return waitMs
      await pause(clock, Math.max(waitMs, startedAt + tickMs - clock.mono()), signal)
    }
    return 0
  }

/** The campaigns of a number: whose turn it is, and who has nothing to do for a while. */
class Turns {
  readonly #ports: PumpPorts
  readonly #numberId: NumberId
  readonly #idleUntil = new Map<CampaignId, number>()
  readonly #empty = new Set<CampaignId>()
  /** The epoch that Redis took for an old one. */
  readonly #refused = new Map<CampaignId, number>()
  #campaigns: readonly RunningCampaign[] = []
  #knownUntil = 0
  #round = 0

  constructor(ports: PumpPorts, numberId: NumberId) {
    this.#ports = ports
    this.#numberId = numberId
  }

  /** All of them, another one first each time. */
  async next(): Promise<readonly RunningCampaign[]> {
    const now = this.#ports.clock.mono()
    if (now >= this.#knownUntil) {
      this.#campaigns = await sendable(this.#ports, this.#numberId)
      this.#knownUntil = now + knownForMs
    }
    this.#round += 1
    const first = this.#round % Math.max(1, this.#campaigns.length)
    return [...this.#campaigns.slice(first), ...this.#campaigns.slice(0, first)]
  }

  idleMs({ id }: RunningCampaign): number {
    return Math.max(0, (this.#idleUntil.get(id) ?? 0) - this.#ports.clock.mono())
  }

  note({ id }: RunningCampaign, { type, ms }: Step): void {
    if (type === 'idle' || type === 'empty') this.#idleUntil.set(id, this.#ports.clock.mono() + ms)
    if (type === 'empty') this.#empty.add(id)
    if (type === 'sent') this.#empty.delete(id)
    // What was read of the campaigns is out of date.
    if (type === 'moved' || type === 'refused') this.#knownUntil = 0
  }

  /**
   * An epoch rises in Postgres before Redis hears of it. So one that Redis refused, and that Postgres still has when it
   * is asked again, is Redis's mistake: Postgres has lost commits in a failover.
   */
  isWronglyRefused({ id, epoch }: RunningCampaign): boolean {
    if (this.#refused.get(id) === epoch) return true
    this.#refused.set(id, epoch)
    return false
  }

  /** One that had nobody due takes one token to look again: those of others are not wasted on it. */
  mostOf({ id }: RunningCampaign): number {
    return this.#empty.has(id) ? 1 : maxBatch
  }
}

async function sendable({ store, log }: PumpPorts, numberId: NumberId): Promise<readonly RunningCampaign[]> {
  const { sendable, stuck } = await store.running(numberId)
  for (const { reason, ...campaign } of stuck) {
    await store.pause({ ...campaign, numberId }, { reason, scope: 'campaign' })
    log.info({ campaignId: campaign.id, reason }, 'campaign.paused_itself')
  }
  return sendable
}

/** Gives each of them its turn while the number has tokens; how long to wait then, in ms. */
async function serve(
  ports: PumpPorts,
  campaigns: readonly RunningCampaign[],
  turns: Turns,
  signal: AbortSignal,
): Promise<number> {
  let waitMs = Number.POSITIVE_INFINITY
  for (const campaign of campaigns) {
    const idleMs = turns.idleMs(campaign)
    const step: Step =
      idleMs > 0
        ? { type: 'idle', ms: idleMs }
        : await sendSome(ports, campaign, { most: turns.mostOf(campaign), signal })
    waitMs = Math.min(waitMs, step.ms)
    turns.note(campaign, step)
    if (step.type === 'refused' && turns.isWronglyRefused(campaign)) await ports.pace.unfence(campaign.id)
    if (endsRound.has(step.type)) break
  }
  return waitMs
}

/** Nothing is left for the others, or what is known of them is out of date. */
const endsRound: ReadonlySet<Step['type']> = new Set(['moved', 'refused', 'numberSpent'])

type Step =
  | { readonly type: 'sent'; readonly ms: 0 }
  /** No longer RUNNING, or not in the epoch that we know. */
  | { readonly type: 'moved'; readonly ms: 0 }
  /** The same, as Redis has it. */
  | { readonly type: 'refused'; readonly ms: 0 }
  /** Nothing to do for this campaign for a while: its pace says so. */
  | { readonly type: 'idle'; readonly ms: number }
  /** The same: nobody is due. */
  | { readonly type: 'empty'; readonly ms: number }
  /** Nothing to do for the number. */
  | { readonly type: 'numberSpent'; readonly ms: number }

async function sendSome(
  ports: PumpPorts,
  campaign: RunningCampaign,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Step> {
  const slots = await ports.slots.take(campaign.workspaceId, most, signal)
  let used = 0
  try {
    if (slots === 0) return { type: 'numberSpent', ms: 0 }
    const { account, numberRate, id, epoch, messagesPerSecond } = campaign
    // Before the tokens: those of a process that stood still are not spent beside fresh ones.
    const claimedAt = { mono: ports.clock.mono(), wall: ports.clock.now() }
    const grant = await ports.pace.take({
      ...{ phoneNumberId: account.phoneNumberId, numberRate, campaignId: id, epoch },
      ...{ campaignRate: messagesPerSecond, want: slots },
    })
    if (grant.limitedBy === 'epoch') return { type: 'refused', ms: 0 }
    if (grant.granted === 0)
      return { type: grant.limitedBy === 'number' ? 'numberSpent' : 'idle', ms: grant.waitMs }
    const batch = await ports.store.claim(campaign, grant.granted, (recipient) =>
      judge(ports, campaign, recipient),
    )
    if (!batch) return { type: 'moved', ms: 0 }
    used = batch.claimed.length
    ports.sender.send(campaign, batch.claimed, claimedAt)
    return batch.picked > 0 ? { type: 'sent', ms: 0 } : nothingDue(ports, campaign)
  } finally {
    ports.slots.release(slots - used)
  }
}

async function nothingDue({ store, log }: PumpPorts, campaign: RunningCampaign): Promise<Step> {
  const completion = await store.complete(campaign)
  switch (completion.type) {
    case 'completed':
      log.info({ campaignId: campaign.id, workspaceId: campaign.workspaceId }, 'campaign.completed')
      return { type: 'moved', ms: 0 }
    case 'moved':
      return { type: 'moved', ms: 0 }
    case 'inFlight':
      return { type: 'empty', ms: inFlightMs }
    case 'waiting':
      return { type: 'empty', ms: Math.max(completion.dueInMs, tickMs) }
  }
}

/** The campaign may have been given another template since the recipient was added. */
function judge({ rendering }: PumpPorts, campaign: RunningCampaign, recipient: PickedRecipient): Claim {
  const variables = { ...campaign.variables, ...recipient.variables }
  const { text, missing, unexpected } = rendering.render(campaign.definition, variables)
  if (missing.length > 0 || unexpected.length > 0)
    return {
      type: 'fail',
      error: {
        code: 'TEMPLATE_VARIABLES_MISMATCH',
        title: `The variables are not those of template ${campaign.template.name}`,
      },
    }
  const { messageId } = recipient
  const isRepeated = messageId !== null
  return { type: 'send', messageId: messageId ?? newId('message'), isRepeated, text, variables }
}
