// The updates of calls that go to the gateway that owns the endpoint: the call then lives where it rings, and neither its
// ring nor its statuses cross from one process to another.
import type { CallConnectUpdate, CallTerminateUpdate } from '../../contract/provider-updates.ts'
import { createUpdateHandover, type HandoverGround } from '../../platform/cluster/update-handover.ts'
import type { ApplyCallUpdate, CallUpdate } from '../apply-call-update.ts'

type InboundUpdate = CallConnectUpdate | CallTerminateUpdate

export interface CallHandoverOptions extends HandoverGround {
  /** This process has begun or heard of the call: whoever owns it now is found from here. */
  readonly isKnown: (wacid: string) => boolean
}

const mostUnderWay = 8

export function createCallHandover(options: CallHandoverOptions) {
  const { noteEndpoints, through, asked } = createUpdateHandover<InboundUpdate>({
    ...options,
    ...{ kind: 'callUpdates', mostUnderWay, revive: withDates },
  })
  return {
    noteEndpoints,
    asked,
    through(here: ApplyCallUpdate): ApplyCallUpdate {
      const handed = through(here)
      return (update) => (isInbound(update) && !options.isKnown(update.wacid) ? handed(update) : here(update))
    },
  }
}

/** Placed calls live in the gateway that placed them. */
const isInbound = (update: CallUpdate): update is InboundUpdate =>
  update.type !== 'callStatus' && update.direction === 'INBOUND'

function withDates(update: InboundUpdate): InboundUpdate {
  const at = new Date(update.at)
  if (update.type === 'callConnect') return { ...update, at }
  return { ...update, at, startedAt: dateOf(update.startedAt), endedAt: dateOf(update.endedAt) }
}

const dateOf = (date: Date | null): Date | null => date && new Date(date)
