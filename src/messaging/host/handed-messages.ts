// Inbound messages that go to the gateway that owns the endpoint: those of a number then share statements, and their events
// are where they are delivered.
import type { InboundMessageUpdate } from '../../contract/provider-updates.ts'
import { createUpdateHandover, type HandoverGround } from '../../platform/cluster/update-handover.ts'

/** A statement of the owner takes them all: see inbound-writer.ts. */
const mostUnderWay = 64

export const createMessageHandover = (ground: HandoverGround) =>
  createUpdateHandover<InboundMessageUpdate>({
    ...ground,
    ...{ kind: 'messageUpdates', mostUnderWay },
    revive: (update) => ({ ...update, at: new Date(update.at) }),
  })
