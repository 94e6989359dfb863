// Sends the campaigns of one number: takes tokens, claims as many recipients, then starts their requests.
// Campaigns of a number are served round-robin. The slots divide the process between numbers.

import type { Failure } from '../contract/records/failure.ts'
import type { Clock } from '../shared/clock.ts'
import type { CampaignId, NumberId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { pause } from '../shared/pause.ts'
import { ClaimInDoubt } from './claim-in-doubt.ts'
import { judge, Misfits } from './misfits.ts'
import type { CampaignSender } from './send-claimed.ts'
import type {
  CampaignRendering,
  CampaignSendStore,
  ClaimedRecipient,
  NumberRateLimit,
  RunningCampaign,
} from './send-ports.ts'
import type { SendSlots } from './send-slots.ts'

export interface PumpPorts {
  readonly store: Pick<CampaignSendStore, 'running' | 'claim' | 'complete' | 'pause'>
  readonly rateLimit: Pick<NumberRateLimit, 'take' | 'unfence'>
  readonly slots: SendSlots
  readonly sender: Pick<CampaignSender, 'send'>
  readonly rendering: Pick<CampaignRendering, 'render'>
  readonly clock: Clock
  readonly log: Pick<Log, 'info'>
}

/** Suits one statement, and is a fifth of a second at the provider's highest rate. */
const maxBatch = 200
/** After this time the number yields to the other numbers in the queue. */
const sliceMs = 10_000
/**
 * Maximum age of the list of a number's campaigns. Each claim checks the epoch, so a change of a campaign shows there;
 * one of its workspace, number or template shows only in this list.
 */
const knownForMs = 500
/** A claim of a few recipients costs as much as a claim of many, so tokens gather for this long. */
const tickMs = 100
const inFlightMs = 200
/** A longer wait is left to the queue. */
const longestWaitMs = 1_000

/**
 * Sends for a number until its time slice is over. Resolves with the ms after which the number should run
 * again; undefined when it has no RUNNING campaign.
 */
export type PumpNumber = (numberId: NumberId, signal: AbortSignal) => Promise<number | undefined>

export function createPump(ports: PumpPorts): PumpNumber {
  const { clock } = ports
  const misfits = new Misfits()
  return async function pumpNumber(numberId, signal) {
    const endsAt = clock.mono() + sliceMs
    const turns = new Turns(ports, numberId, misfits)
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
}

/** The campaigns of a number: their order, and which of them have nothing to do for a while. */
class Turns {
  readonly #ports: PumpPorts
  readonly #numberId: NumberId
  readonly #idleUntil = new Map<CampaignId, number>()
  readonly #empty = new Set<CampaignId>()
  /** The epoch that Redis refused as outdated. */
  readonly #refused = new Map<CampaignId, number>()
  readonly misfits: Misfits
  #campaigns: readonly RunningCampaign[] = []
  #knownUntil = 0
  /** Who got tokens last: whoever comes behind is next, also where a round had none for them. */
  #served: CampaignId | undefined

  constructor(ports: PumpPorts, numberId: NumberId, misfits: Misfits) {
    this.#ports = ports
    this.#numberId = numberId
    this.misfits = misfits
  }

  /** All campaigns, starting behind the one that was served last. */
  async next(): Promise<readonly RunningCampaign[]> {
    await this.#read()
    const first = this.#campaigns.findIndex(({ id }) => id === this.#served) + 1
    return [...this.#campaigns.slice(first), ...this.#campaigns.slice(0, first)]
  }

  /** The campaign as it is after a wait; undefined where it can send no more. */
  async current({ id }: RunningCampaign): Promise<RunningCampaign | undefined> {
    await this.#read()
    return this.#campaigns.find((campaign) => campaign.id === id)
  }

  async #read(): Promise<void> {
    const now = this.#ports.clock.mono()
    if (now < this.#knownUntil) return
    this.#campaigns = await sendable(this.#ports, this.#numberId)
    this.#knownUntil = now + knownForMs
  }

  idleMs({ id }: RunningCampaign): number {
    return Math.max(0, (this.#idleUntil.get(id) ?? 0) - this.#ports.clock.mono())
  }

  note({ id }: RunningCampaign, { type, ms }: Step): void {
    if (type === 'idle' || type === 'empty') this.#idleUntil.set(id, this.#ports.clock.mono() + ms)
    if (type === 'empty') this.#empty.add(id)
    if (type === 'sent') {
      this.#empty.delete(id)
      this.#served = id
    }
    // The list of campaigns is out of date.
    if (type === 'moved' || type === 'refused') this.#knownUntil = 0
  }

  /**
   * An epoch rises in Postgres before it rises in Redis. When Redis refuses an epoch as outdated and a second
   * read of Postgres still returns it, Redis is wrong: Postgres has lost commits in a failover.
   */
  isWronglyRefused({ id, epoch }: RunningCampaign): boolean {
    if (this.#refused.get(id) === epoch) return true
    this.#refused.set(id, epoch)
    return false
  }

  /**
   * A campaign without due recipients takes one token to look again, so that it wastes no tokens of others.
   */
  mostOf({ id }: RunningCampaign): number {
    return this.#empty.has(id) ? 1 : maxBatch
  }
}

async function sendable({ store, log }: PumpPorts, numberId: NumberId): Promise<readonly RunningCampaign[]> {
  const { sendable, stuck } = await store.running(numberId)
  for (const { reason, error, ...campaign } of stuck) {
    await store.pause({ ...campaign, numberId }, { reason, scope: 'campaign', ...(error && { error }) })
    log.info({ campaignId: campaign.id, reason, code: error?.code }, 'campaign.paused_itself')
  }
  return sendable
}

/** Serves each campaign once while the number has tokens. Returns how long to wait then, in ms. */
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
      idleMs > 0 ? { type: 'idle', ms: idleMs } : await sendSome(ports, campaign, turns, signal)
    waitMs = Math.min(waitMs, step.ms)
    turns.note(campaign, step)
    if (step.type === 'refused' && turns.isWronglyRefused(campaign))
      await ports.rateLimit.unfence(campaign.id)
    if (endsRound.has(step.type)) break
  }
  return waitMs
}

/** After these steps the other campaigns get nothing more, or the list of campaigns is out of date. */
const endsRound: ReadonlySet<Step['type']> = new Set(['moved', 'refused', 'numberSpent'])

type Step =
  | { readonly type: 'sent'; readonly ms: 0 }
  /** The campaign is no longer RUNNING, or has another epoch than the one we know. */
  | { readonly type: 'moved'; readonly ms: 0 }
  /** The same, according to Redis. */
  | { readonly type: 'refused'; readonly ms: 0 }
  /** The campaign's own pace allows nothing for a while. */
  | { readonly type: 'idle'; readonly ms: number }
  /** No recipient is due for a while. */
  | { readonly type: 'empty'; readonly ms: number }
  /** The number cannot send for a while: it has no tokens, or the process no slots. */
  | { readonly type: 'numberSpent'; readonly ms: number }

async function sendSome(
  ports: PumpPorts,
  known: RunningCampaign,
  turns: Turns,
  signal: AbortSignal,
): Promise<Step> {
  const slots = await ports.slots.take(known.workspaceId, turns.mostOf(known), signal)
  let used = 0
  try {
    if (slots === 0) return { type: 'numberSpent', ms: 0 }
    // It may have waited long for the slots.
    const campaign = await turns.current(known)
    if (!campaign) return { type: 'moved', ms: 0 }
    const { account, numberRate, id, epoch, messagesPerSecond } = campaign
    // Before taking tokens: a process that was frozen must not spend old tokens beside new ones.
    const claimedAt = { mono: ports.clock.mono(), wall: ports.clock.now() }
    const grant = await ports.rateLimit.take({
      ...{ phoneNumberId: account.phoneNumberId, numberRate, campaignId: id, epoch },
      ...{ campaignRate: messagesPerSecond, want: slots },
    })
    if (grant.limitedBy === 'epoch') return { type: 'refused', ms: 0 }
    if (grant.granted === 0)
      return { type: grant.limitedBy === 'number' ? 'numberSpent' : 'idle', ms: grant.waitMs }
    const batch = await claimSome(ports, campaign, turns, grant.granted)
    if (!batch) return { type: 'moved', ms: 0 }
    used = batch.claimed.length
    ports.sender.send(campaign, batch.claimed, batch.inDoubt ? longAgo : claimedAt)
    if (batch.inDoubt) throw batch.inDoubt
    // After the requests have begun: they may not wait.
    if (batch.tooMany) return await pauseFor(ports, campaign, batch.tooMany)
    return batch.picked > 0 ? { type: 'sent', ms: 0 } : nothingDue(ports, campaign)
  } finally {
    ports.slots.release(slots - used)
  }
}

/** Nothing is sent under such a claim: its recipients go back to those who wait. */
const longAgo = { mono: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }

interface Batch {
  readonly picked: number
  readonly claimed: readonly ClaimedRecipient[]
  /** Whether the claim was written is not known. */
  readonly inDoubt?: ClaimInDoubt
  /** Why so many in a row have failed in this claim that the campaign is to pause. */
  readonly tooMany?: Failure | undefined
}

/** Undefined where the campaign is RUNNING no more. */
async function claimSome(
  { store, rendering }: PumpPorts,
  campaign: RunningCampaign,
  turns: Turns,
  limit: number,
): Promise<Batch | undefined> {
  const misfits = turns.misfits.claimOf(campaign)
  try {
    const batch = await store.claim(campaign, limit, (recipient) =>
      misfits.pass(judge(rendering, campaign, recipient)),
    )
    return batch && { ...batch, tooMany: misfits.written() }
  } catch (error) {
    if (error instanceof ClaimInDoubt) return { picked: 0, claimed: error.claimed, inDoubt: error }
    throw error
  }
}

async function pauseFor({ store, log }: PumpPorts, campaign: RunningCampaign, error: Failure): Promise<Step> {
  const { id: campaignId, workspaceId } = campaign
  const reason = 'TOO_MANY_FAILURES'
  await store.pause(campaign, { reason, scope: 'campaign', error })
  log.info({ campaignId, workspaceId, reason, code: error.code }, 'campaign.paused_itself')
  return { type: 'moved', ms: 0 }
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
