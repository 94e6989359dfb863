// Sends single messages. Postgres is written before and after the request: a PENDING row is safe to send. A
// row that was SENDING when its process died may have been sent, and is never sent again.

import { randomInt } from 'node:crypto'
import type { Clock } from '../shared/clock.ts'
import type { MessageId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { isClosed, isOutage } from '../shared/outage.ts'
import type { AttemptSend } from './attempt-send.ts'
import type { MessageStore, Outgoing } from './ports.ts'

export interface TransmitPorts {
  readonly store: Pick<MessageStore, 'startSending'>
  readonly attemptSend: AttemptSend
  readonly clock: Clock
  /** Called for each request: single sends and campaigns share the rate of a number. */
  readonly spent: (phoneNumberId: string) => void
  readonly log: Log
}

export interface Transmitter {
  /** Starts a send and returns at once. Where it fails or is refused, for want of a place, the sweep finds its row. */
  start(outgoing: Outgoing): 'refused' | undefined
  /** How many more sends would be started now. */
  freePlaces(): number
  /** Starts no more sends: another process finds their rows. Resolves when none is in progress. */
  drain(): Promise<void>
}

/** Above this number of concurrent sends, further ones wait in Postgres for the sweep. */
const maxUnderWay = 2_000

/** A send that is tried again later than this waits in Postgres for the sweep. */
const longestTimerMs = 20_000

/** Delays between the tries to start a send. */
const startDelaysMs = [200, 1_000, 5_000, 15_000]

export function createTransmitter({ store, attemptSend, clock, spent, log }: TransmitPorts): Transmitter {
  const underWay = new Set<Promise<void>>()
  let isLeaving = false

  async function send(outgoing: Outgoing): Promise<void> {
    const startedAt = clock.mono()
    const { id, workspaceId, account, conversationId, recipientId, to } = outgoing
    const attempt = await start(id)
    if (attempt === null) return
    spent(account.phoneNumberId)
    const verdict = await attemptSend({
      messageId: id,
      ...contentOf(outgoing),
      ...{ account, conversationId, recipientId, to },
      attempt,
      tries: attempt - 1,
      by: 'single',
    })
    const code = 'error' in verdict ? verdict.error?.code : undefined
    const durationMs = clock.mono() - startedAt
    const fields = { messageId: id, workspaceId, verdict: verdict.type, attempt, durationMs, code }
    log.info(fields, 'message.sent_to_provider')
    if (verdict.type === 'again' && verdict.delayMs <= longestTimerMs)
      clock.after(verdict.delayMs, () => transmitter.start(outgoing))
  }

  /**
   * Repeats what had no reply: the start may be written, and then nobody else makes the send. After a minute the row
   * counts as that of a dead process, and this finds none.
   */
  async function start(id: MessageId): Promise<number | null> {
    const by = randomInt(2 ** 31)
    for (const delayMs of startDelaysMs)
      try {
        return await store.startSending({ id, by })
      } catch (error) {
        if (!isOutage(error) || isClosed(error)) throw error
        log.warn({ messageId: id, error: String(error) }, 'message.start_not_written')
        await new Promise<void>((resolve) => clock.after(delayMs, resolve))
      }
    return store.startSending({ id, by })
  }

  const freePlaces = (): number => (isLeaving ? 0 : maxUnderWay - underWay.size)

  const transmitter: Transmitter = {
    freePlaces,
    start(outgoing) {
      if (freePlaces() <= 0) return 'refused'
      const sending = send(outgoing)
        .catch((error: unknown) =>
          log.warn({ messageId: outgoing.id, error: String(error) }, 'message.send_interrupted'),
        )
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
      return undefined
    },
    async drain() {
      isLeaving = true
      await Promise.allSettled(underWay)
    },
  }
  return transmitter
}

const contentOf = (outgoing: Outgoing) =>
  outgoing.free
    ? { free: outgoing.free }
    : {
        template: outgoing.template,
        definition: outgoing.definition,
        variables: outgoing.template.variables,
      }
