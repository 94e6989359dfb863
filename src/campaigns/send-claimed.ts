// Claimed recipients to the provider, and what it said of each into their rows.
import type { Dispatch } from '../contract/dispatch.ts'
import type { Provider } from '../contract/provider.ts'
import type { Clock } from '../shared/clock.ts'
import { failpoint } from '../shared/failpoint.ts'
import { encodeId } from '../shared/ids.ts'
import { judgeSend, returned, type SendVerdict } from './judge-send.ts'
import { claimGuardMs } from './run-campaign.ts'
import { createSelfPause } from './self-pause.ts'
import type { SendSlots } from './send-slots.ts'
import type {
  CampaignRendering,
  CampaignSendStore,
  ClaimedRecipient,
  Pace,
  RunningCampaign,
  SendOutcome,
} from './sending.ts'

export interface SenderPorts {
  readonly store: Pick<CampaignSendStore, 'finish' | 'pause'>
  readonly pace: Pick<Pace, 'slowDown'>
  readonly slots: Pick<SendSlots, 'release'>
  readonly provider: Pick<Provider, 'sendTemplate'>
  readonly rendering: Pick<CampaignRendering, 'providerComponents'>
  readonly failureEvent: (
    message: Pick<ClaimedRecipient, 'conversationId'> & { readonly id: ClaimedRecipient['messageId'] },
    error: { readonly code: string; readonly title: string },
    nowMs: number,
  ) => NonNullable<SendOutcome['failure']>
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly sent: (verdict: SendVerdict['type']) => void
  readonly log: { info(fields: object, event: string): void; warn(fields: object, event: string): void }
}

export interface CampaignSender {
  /** Each has one of the slots and gives it back. `claimedAt` is monotonic, from before the claim was asked for. */
  send(campaign: RunningCampaign, claimed: readonly ClaimedRecipient[], claimedAt: ClaimTime): void
  /** Resolves when nothing is under way. */
  drain(): Promise<void>
}

/** Two clocks: the monotonic one of a guest may stand still while the machine is frozen. */
export interface ClaimTime {
  readonly mono: number
  readonly wall: number
}

/** Between the tries to write an outcome; one that dies with the process is UNKNOWN until a status settles it. */
const recordDelaysMs = [200, 1_000, 5_000, 15_000]

export function createCampaignSender(ports: SenderPorts): CampaignSender {
  const { clock, log } = ports
  const pauseIfNeeded = createSelfPause(ports)
  const underWay = new Set<Promise<void>>()

  async function sendOne(campaign: RunningCampaign, recipient: ClaimedRecipient, claimedAt: ClaimTime) {
    const isWanted = () =>
      clock.mono() - claimedAt.mono <= claimGuardMs && clock.now() - claimedAt.wall <= claimGuardMs
    const verdict = isWanted() ? await ask(ports, { campaign, recipient, isWanted }) : returned
    ports.sent(verdict.type)
    // Before the recipients are PENDING again, or they would be claimed at once.
    await pauseIfNeeded(campaign, verdict)
    if (verdict.type === 'again' && verdict.slow)
      await ports.pace.slowDown(campaign.account.phoneNumberId, verdict.delayMs).catch(() => undefined)
    await record(ports, recipient, verdict)
  }

  return {
    send(campaign, claimed, claimedAt) {
      for (const recipient of claimed) {
        const sending = sendOne(campaign, recipient, claimedAt)
          .catch((error: unknown) =>
            log.warn({ messageId: recipient.messageId, error: String(error) }, 'campaign.send_interrupted'),
          )
          .finally(() => {
            underWay.delete(sending)
            ports.slots.release(1)
          })
        underWay.add(sending)
      }
    },
    async drain() {
      // A claim that was being committed begins its sends meanwhile.
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

interface Asking {
  readonly campaign: RunningCampaign
  readonly recipient: ClaimedRecipient
  /** Connecting takes time: the claim's guard holds until the first byte. */
  readonly isWanted: () => boolean
}

async function ask(ports: SenderPorts, { campaign, recipient, isWanted }: Asking): Promise<SendVerdict> {
  failpoint('before_provider_request')
  const result = await ports.provider.sendTemplate(campaign.account, {
    to: recipient.waId,
    template: {
      ...campaign.template,
      components: ports.rendering.providerComponents(campaign.definition, recipient.merged),
    },
    opaque: encodeId('message', recipient.messageId),
    isWanted,
  })
  failpoint('after_provider_answer')
  return judgeSend(result, recipient.tries)
}

async function record(ports: SenderPorts, recipient: ClaimedRecipient, verdict: SendVerdict): Promise<void> {
  const { clock, log } = ports
  const { messageId, conversationId, attempt } = recipient
  const failure =
    verdict.type === 'failed'
      ? ports.failureEvent({ id: messageId, conversationId }, verdict.error, clock.now())
      : null
  const outcome = { messageId, conversationId, attempt, verdict, failure }
  // Each holds a slot, so what waits for Postgres is bounded.
  for (let tries = 0; ; tries += 1) {
    try {
      ports.dispatch(await ports.store.finish(outcome))
      return
    } catch (error) {
      log.warn({ messageId, verdict: verdict.type, error: String(error) }, 'campaign.outcome_not_written')
      const delayMs = recordDelaysMs[Math.min(tries, recordDelaysMs.length - 1)] ?? 0
      await new Promise<void>((resolve) => clock.after(delayMs, resolve))
    }
  }
}
