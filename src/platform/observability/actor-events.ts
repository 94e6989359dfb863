// Reports actor events to the log and the metrics, and messages that could not be handled to the table of
// parked messages.
import { framesOf } from '../../shared/error-text.ts'
import type { Log } from '../../shared/log.ts'
import type { ActorKind } from '../actors/actor.ts'
import type { DirectoryEvent } from '../actors/directory-options.ts'
import type { ParkedMessage } from '../postgres/parked-messages.store.ts'
import type { Metrics } from './metrics.ts'

export interface ActorEventPorts {
  readonly metrics: Pick<Metrics, 'dropped' | 'parked'>
  readonly park: (message: ParkedMessage) => Promise<void>
  readonly log: Pick<Log, 'warn'>
}

/** The longest error text that is kept: the first line identifies the error. */
const maxErrorLength = 500

export const createActorEvents =
  ({ metrics, park, log }: ActorEventPorts) =>
  (kind: ActorKind) =>
  (event: DirectoryEvent): void => {
    const { type, id: actorId } = event
    const fields = { kind, actorId }
    switch (type) {
      case 'dropped':
        metrics.dropped(kind, event.reason)
        return log.warn({ ...fields, reason: event.reason }, 'actor.dropped')
      case 'faulted':
        return log.warn({ ...fields, error: String(event.error) }, 'actor.faulted')
      case 'lost':
        return log.warn({ ...fields, reason: event.refusal.type }, 'actor.lost')
      case 'parked': {
        const { messageType } = event
        const error = String(event.error).slice(0, maxErrorLength)
        metrics.parked(kind)
        log.warn({ ...fields, message: messageType, error, stack: stackOf(event.error) }, 'actor.parked')
        park({ kind, actorId, messageType, error }).catch((failure: unknown) =>
          log.warn({ ...fields, message: messageType, error: String(failure) }, 'actor.not_parked'),
        )
      }
    }
  }

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? framesOf(error).split('\n').slice(0, 4).join('\n') : undefined
