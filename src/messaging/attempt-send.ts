// One attempt to send a message: the request to the provider, the verdict on its answer, and the outcome in
// Postgres. Single sends and campaigns share it. The row is SENDING before the request, so after a crash the
// message is never sent again automatically.

import type { Dispatch, WrittenDelivery } from '../contract/dispatch.ts'
import { queuedBody } from '../contract/events.ts'
import type { FreeMessage } from '../contract/message-content.ts'
import { personAt } from '../contract/person.ts'
import type { Provider, ProviderAccount, ProviderError, SentMessage } from '../contract/provider.ts'
import { failureOf, type GivenFailure } from '../contract/records/failure.ts'
import { isUserId } from '../shared/address.ts'
import type { Clock } from '../shared/clock.ts'
import { failpoint } from '../shared/failpoint.ts'
import {
  type ConversationId,
  encodeId,
  type MessageId,
  newId,
  type RecipientId,
  type WorkspaceId,
} from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import type { Consent } from './consent.ts'
import type { Claim } from './identity.ts'
import type { CampaignRun, FailureEvent, SendOutcome, SendTemplate, TemplateRendering } from './ports.ts'
import { judgeSend, type SendPolicyName, type SendVerdict, sendPolicies } from './send-policy.ts'

export type SendAttempt = Attempt & (TemplateAttempt | { readonly free: FreeMessage })

interface TemplateAttempt {
  readonly template: { readonly name: string; readonly language: string }
  readonly definition: SendTemplate
  readonly variables: Readonly<Record<string, string>>
  readonly free?: undefined
}

interface Attempt {
  readonly messageId: MessageId
  readonly conversationId: ConversationId
  readonly recipientId: RecipientId | null
  readonly account: ProviderAccount
  /** Digits, or a user id. */
  readonly to: string
  /** `send_attempts` of the row when this attempt began: its outcome must not change a later attempt. */
  readonly attempt: number
  /** Earlier attempts that used up a try. */
  readonly tries: number
  /** The policy, and what sends the message again: the sweep of sends, or the campaign's next claim. */
  readonly by: SendPolicyName
  /** The campaign that sends it. */
  readonly campaign?: CampaignRun | undefined
  /** Called until the first byte is sent. False: the request must not start any more. */
  readonly isWanted?: () => boolean
  /** Awaited between the verdict and its record, while the row is still SENDING. Must not reject. */
  readonly judged?: (verdict: SendVerdict) => Promise<void>
}

export interface AttemptPorts {
  readonly finishSend: (outcome: SendOutcome) => Promise<readonly WrittenDelivery[]>
  readonly templates: Pick<TemplateRendering, 'providerComponents'>
  readonly provider: Pick<Provider, 'sendTemplate' | 'sendMessage'>
  readonly dispatch: Dispatch
  readonly learn: (workspaceId: WorkspaceId, claim: Claim) => Promise<void>
  readonly consent: Pick<Consent, 'noteRefusal'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** Called for each refused send. */
  readonly sendFailed?: (workspaceId: WorkspaceId, error: ProviderError) => void
}

/** Resolves when the outcome is durable. Rejects only where the outcome cannot be known. */
export type AttemptSend = (send: SendAttempt) => Promise<SendVerdict>

/** Delays between the tries to write an outcome. */
const recordDelaysMs = [200, 1_000, 5_000, 15_000]

export const createAttemptSend = (ports: AttemptPorts): AttemptSend =>
  async function attemptSend(send) {
    const verdict = await ask(ports, send)
    await send.judged?.(verdict)
    await record(ports, send, verdict)
    if ((verdict.type === 'failed' || verdict.type === 'again') && verdict.error)
      ports.sendFailed?.(send.account.workspaceId as WorkspaceId, verdict.error)
    if (verdict.type === 'accepted') learnSpelling(ports, send, verdict)
    if (verdict.type === 'failed' && verdict.error.class === 'optedOut') await noteRefusal(ports, send)
    return verdict
  }

async function ask({ provider, templates }: AttemptPorts, send: SendAttempt): Promise<SendVerdict> {
  if (send.isWanted?.() === false)
    return { type: 'again', delayMs: 0, counts: false, slow: null, error: null }
  const components = send.free ? [] : templates.providerComponents(send.definition, send.variables)
  if (components === null) return { type: 'failed', error: templateChanged }
  failpoint('before_provider_request')
  const addressed = {
    to: send.to,
    opaque: encodeId('message', send.messageId),
    ...(send.isWanted && { isWanted: send.isWanted }),
  }
  const result = send.free
    ? await provider.sendMessage(send.account, { ...addressed, ...send.free })
    : await provider.sendTemplate(send.account, {
        template: {
          name: send.template.name,
          language: send.template.language,
          components,
        },
        ...addressed,
      })
  failpoint('after_provider_answer')
  return judgeSend(result, sendPolicies[send.by], send.tries)
}

/** The variables fitted when the message was accepted. */
const templateChanged: ProviderError = {
  code: 'TEMPLATE_VARIABLES_MISMATCH',
  title: 'The template was changed, and the variables are no longer its own',
  details: null,
  httpStatus: null,
  class: 'permanent',
  retryAfterMs: null,
}

/** The provider may know the number in another spelling, in which the person's own messages will name it. */
function learnSpelling(
  { learn, clock, log }: AttemptPorts,
  send: SendAttempt,
  { recipientPhone }: SentMessage,
) {
  if (recipientPhone === null || recipientPhone === send.to || isUserId(send.to)) return
  const person = personAt(recipientPhone)
  const claim: Claim = { person, also: [send.to], at: new Date(clock.now()), proof: 'answer' }
  learn(send.account.workspaceId as WorkspaceId, claim).catch((error: unknown) =>
    log.warn({ messageId: send.messageId, error: String(error) }, 'message.spelling_not_learnt'),
  )
}

/** Where it is not written, the next refusal tells it again. */
async function noteRefusal({ consent, clock, log }: AttemptPorts, { messageId }: SendAttempt): Promise<void> {
  try {
    await consent.noteRefusal(messageId, new Date(clock.now()))
  } catch (error) {
    log.warn({ messageId, error: String(error) }, 'message.refusal_not_noted')
  }
}

/**
 * Tries until the outcome is written: without it the message would become OUTCOME_UNKNOWN. The caller limits
 * how many outcomes wait here. An outcome that is lost with its process stays UNKNOWN until a status settles
 * it.
 */
async function record(ports: AttemptPorts, send: SendAttempt, verdict: SendVerdict): Promise<void> {
  const { clock, log } = ports
  const { messageId, recipientId, attempt, by, campaign } = send
  const failure =
    verdict.type === 'failed' ? failureEvent({ ...send, id: messageId }, verdict.error, clock.now()) : null
  for (let tries = 0; ; tries += 1) {
    try {
      const outcome = { messageId, recipientId, attempt, by, campaign, verdict, failure }
      ports.dispatch(await ports.finishSend(outcome))
      return
    } catch (error) {
      log.warn({ messageId, verdict: verdict.type, error: String(error) }, 'message.outcome_not_written')
      const delayMs = recordDelaysMs[Math.min(tries, recordDelaysMs.length - 1)] ?? 0
      await new Promise<void>((resolve) => clock.after(delayMs, resolve))
    }
  }
}

export function failureEvent(
  message: { readonly id: MessageId; readonly conversationId: ConversationId },
  given: GivenFailure,
  nowMs: number,
): FailureEvent {
  const at = new Date(nowMs)
  const { title, ...error } = failureOf(given)
  const body = queuedBody('message.status', at, {
    messageId: encodeId('message', message.id),
    conversationId: encodeId('conversation', message.conversationId),
    // The message has no provider id: the provider refused it, or its answer was lost.
    providerMessageId: '',
    status: 'FAILED',
    occurredAt: at.toISOString(),
    error: { title, ...error },
  })
  return { eventId: newId('event'), body }
}
