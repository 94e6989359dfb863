// What the provider tells: by webhook, and what was kept of a number until it was known here.
import type { Calls } from '../calls/calls.module.ts'
import type { Messaging } from '../messaging/messaging.module.ts'
import { createInboundElementStore } from '../platform/postgres/inbound-elements.store.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { Clock } from '../shared/clock.ts'
import { applyForNumber } from './incoming/apply-for-number.ts'
import { createApplyUpdate } from './incoming/apply-updates.ts'
import { type ProviderWebhooksOptions, postHere, providerWebhooks } from './incoming/webhooks.ts'

interface IncomingOptions
  extends Pick<ProviderWebhooksOptions, 'appSecret' | 'verifyToken' | 'keep' | 'log' | 'observe'> {
  readonly sql: Pool
  readonly messaging: Messaging
  readonly calls: Pick<Calls, 'applyCallUpdate'>
  /** Called for updates that concern nothing here. */
  readonly ignored: (type: string) => void
  readonly clock: Clock
}

export function createIncoming({ sql, messaging, calls, ignored, clock, ...options }: IncomingOptions) {
  const { keep, log } = options
  const apply = createApplyUpdate({
    messages: messaging.updates,
    applyCallUpdate: calls.applyCallUpdate,
    applyTemplateChange: messaging.applyTemplateChange,
    templateEdited: messaging.templateEdited,
    applyAccountUpdate: messaging.applyAccountUpdate,
    ignored,
  })
  const again = {
    numbers: messaging.dueNumbers,
    store: createInboundElementStore(sql),
    post: postHere({ apply, keep }),
    ...{ clock, log },
  }
  return {
    webhooks: providerWebhooks({ ...options, apply, numberUnknown: messaging.numberUnknown }),
    /** Gateways alone own calls, so no worker does this. */
    startApplying: (): Loop =>
      startLoop({
        ...{ name: 'due_numbers', everyMs: 10_000, log },
        run: (signal) => applyForNumber(again, signal),
      }),
  }
}
