// Hands a message to the provider. Postgres knows before and after: PENDING rows are safe to send, a row that was
// SENDING when its process died may have been sent, and is never sent again.

import type { Dispatch } from '../contract/dispatch.ts'
import { queuedBody } from '../contract/events.ts'
import type { Provider } from '../contract/provider.ts'
import type { Clock } from '../shared/clock.ts'
import { failpoint } from '../shared/failpoint.ts'
import { encodeId, newId } from '../shared/ids.ts'
import type { FailureEvent, MessageStore, Outgoing, TemplateRendering } from './ports.ts'
import { judgeSend, type SendVerdict } from './send-policy.ts'

export interface TransmitPorts {
  readonly store: Pick<MessageStore, 'startSending' | 'finishSending'>
  readonly templates: TemplateRendering
  readonly provider: Pick<Provider, 'sendTemplate'>
  readonly dispatch: Dispatch
  readonly clock: Clock
  /** Told of each request: the number's budget is shared with campaigns. */
  readonly spent: (phoneNumberId: string) => void
  readonly log: { info(fields: object, event: string): void; warn(fields: object, event: string): void }
}

export interface Transmitter {
  /** Starts a send and returns at once; what goes wrong is in the row, where the sweeper finds it. */
  start(outgoing: Outgoing): void
  /** Resolves when no send is under way. */
  drain(): Promise<void>
}

/** Past this many sends under way further ones wait in Postgres for the sweeper. */
const maxUnderWay = 2_000

export function createTransmitter(ports: TransmitPorts): Transmitter {
  const underWay = new Set<Promise<void>>()

  async function send(outgoing: Outgoing): Promise<void> {
    const startedAt = ports.clock.mono()
    if (!(await ports.store.startSending(outgoing.id))) return
    failpoint('before_provider_request')
    ports.spent(outgoing.account.phoneNumberId)
    const result = await ports.provider.sendTemplate(outgoing.account, {
      to: outgoing.to,
      template: {
        name: outgoing.template.name,
        language: outgoing.template.language,
        components: ports.templates.providerComponents(outgoing.definition, outgoing.template.variables),
      },
      opaque: encodeId('message', outgoing.id),
    })
    failpoint('after_provider_answer')
    const attempt = outgoing.attempts + 1
    const verdict = judgeSend(result, attempt)
    const failure =
      verdict.type === 'failed' ? failureEvent(outgoing, verdict.error, ports.clock.now()) : null
    ports.dispatch(await ports.store.finishSending({ outgoing, verdict }, failure))
    logSend(ports, { outgoing, verdict, attempt, durationMs: ports.clock.mono() - startedAt })
    if (verdict.type === 'retry')
      ports.clock.after(verdict.delayMs, () => transmitter.start({ ...outgoing, attempts: attempt }))
  }

  const transmitter: Transmitter = {
    start(outgoing) {
      if (underWay.size >= maxUnderWay) return
      const sending = send(outgoing)
        .catch((error: unknown) =>
          ports.log.warn({ messageId: outgoing.id, error: String(error) }, 'message.send_interrupted'),
        )
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
    },
    async drain() {
      await Promise.allSettled(underWay)
    },
  }
  return transmitter
}

export function failureEvent(
  message: Pick<Outgoing, 'id' | 'conversationId'>,
  error: { readonly code: string; readonly title: string },
  nowMs: number,
): FailureEvent {
  const at = new Date(nowMs)
  const body = queuedBody('message.status', at, {
    messageId: encodeId('message', message.id),
    conversationId: encodeId('conversation', message.conversationId),
    // The provider refused it, so it never gave it an id.
    providerMessageId: '',
    status: 'FAILED',
    occurredAt: at.toISOString(),
    error: { title: error.title, code: error.code },
  })
  return { eventId: newId('event'), body }
}

function logSend(
  ports: TransmitPorts,
  {
    outgoing,
    verdict,
    attempt,
    durationMs,
  }: {
    outgoing: Outgoing
    verdict: SendVerdict
    attempt: number
    durationMs: number
  },
): void {
  const code = 'error' in verdict ? verdict.error.code : undefined
  const fields = {
    messageId: outgoing.id,
    workspaceId: outgoing.workspaceId,
    verdict: verdict.type,
    attempt,
    durationMs,
    code,
  }
  ports.log.info(fields, 'message.sent_to_provider')
}
