// Sends to claimed recipients. Messaging makes each attempt. This file adds the time limit of the claim, and
// applies the verdict to the campaign and its number.
import type { Clock } from '../shared/clock.ts'
import { claimGuardMs } from './run-campaign.ts'
import { createSelfPause, type SelfPausePorts } from './self-pause.ts'
import type {
  AttemptSend,
  ClaimedRecipient,
  NumberRateLimit,
  RunningCampaign,
  SendVerdict,
} from './send-ports.ts'
import type { SendSlots } from './send-slots.ts'

export interface SenderPorts extends SelfPausePorts {
  readonly attemptSend: AttemptSend
  readonly rateLimit: Pick<NumberRateLimit, 'slowDown' | 'holdOff'>
  readonly slots: Pick<SendSlots, 'release'>
  readonly clock: Clock
  readonly sent: (verdict: SendVerdict['type']) => void
}

export interface CampaignSender {
  /**
   * Each recipient holds one slot until its send ends. `claimedAt` is from before the claim was requested.
   */
  send(campaign: RunningCampaign, claimed: readonly ClaimedRecipient[], claimedAt: ClaimTime): void
  /** Resolves when nothing is under way. */
  drain(): Promise<void>
}

/** Two clocks, because the monotonic clock of a virtual machine may stop while the machine is frozen. */
export interface ClaimTime {
  readonly mono: number
  readonly wall: number
}

export function createCampaignSender(ports: SenderPorts): CampaignSender {
  const { clock, log } = ports
  const pauseIfNeeded = createSelfPause(ports)
  const underWay = new Set<Promise<void>>()

  const slowDown = ({ id, account }: RunningCampaign, slow: 'number' | 'campaign', ms: number) =>
    slow === 'number' ? ports.rateLimit.slowDown(account.phoneNumberId, ms) : ports.rateLimit.holdOff(id, ms)

  async function sendOne(
    campaign: RunningCampaign,
    recipient: ClaimedRecipient,
    claimedAt: ClaimTime,
  ): Promise<void> {
    const { account, template, definition } = campaign
    await ports.attemptSend({
      ...{ account, template, definition, by: 'campaign' },
      campaign: { id: campaign.id, workspaceId: campaign.workspaceId, epoch: campaign.epoch },
      messageId: recipient.messageId,
      recipientId: recipient.id,
      conversationId: recipient.conversationId,
      to: recipient.address,
      variables: recipient.merged,
      attempt: recipient.attempt,
      tries: recipient.tries,
      // Connecting takes time, so the guard of the claim applies until the first byte.
      isWanted: () =>
        clock.mono() - claimedAt.mono <= claimGuardMs && clock.now() - claimedAt.wall <= claimGuardMs,
      async judged(verdict) {
        ports.sent(verdict.type)
        // Pause before the recipient is PENDING again; otherwise it would be claimed again at once.
        await pauseIfNeeded(campaign, verdict)
        if (verdict.type === 'again' && verdict.slow !== null)
          await slowDown(campaign, verdict.slow, verdict.delayMs).catch(() => undefined)
      },
    })
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
      // A claim that commits during this wait still starts its sends.
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
