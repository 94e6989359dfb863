// The messages domain, assembled: sending, the provider's updates, and the sweep of what nobody looks after.
import type { Logger } from 'pino'
import type { Dispatch } from '../contract/dispatch.ts'
import { limits } from '../contract/limits.ts'
import type { Provider } from '../contract/provider.ts'
import { uploadPlaces } from '../http/upload-places.ts'
import { createMessageUpdates } from '../messages/apply-message-updates.ts'
import type { TemplateRendering } from '../messages/ports.ts'
import { createPreviewMessage } from '../messages/preview-message.ts'
import { createSendMessage } from '../messages/send-message.ts'
import { sweepSends } from '../messages/sweep-sends.ts'
import { createTransmitter } from '../messages/transmit-message.ts'
import { createUploadMedia } from '../messages/upload-media.ts'
import type { Clock } from '../shared/clock.ts'
import type { ContactsStore } from '../store/contacts.store.ts'
import { type AccountOptions, createMessageStore } from '../store/messages.store.ts'
import { createMessageReader } from '../store/messages-read.store.ts'
import { createSenderAccounts } from '../store/sender-accounts.store.ts'
import type { Pool } from '../store/sql.ts'
import { renderTemplate, toProviderComponents } from '../templates/render-template.ts'
import { createFailureReports } from './campaign-reports.ts'

export interface MessagesOptions {
  readonly sql: Pool
  readonly accounts: AccountOptions
  readonly contacts: ContactsStore
  readonly provider: Provider
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly log: Logger
  readonly ignored: (type: string) => void
  readonly spent: (phoneNumberId: string) => void
}

/** What templates know, for the domains that send. */
export const rendering: TemplateRendering = {
  render(template, variables) {
    const { text, missingVariables, unexpectedVariables } = renderTemplate(template, variables)
    return { text, missing: missingVariables, unexpected: unexpectedVariables }
  },
  preview: renderTemplate,
  providerComponents: (template, variables) => toProviderComponents(template, variables),
}

export function createMessages(options: MessagesOptions) {
  const { sql, contacts, dispatch, clock } = options
  const store = createMessageStore(sql, options.accounts)
  const reader = createMessageReader(sql)
  const transmitter = createTransmitter({
    store,
    templates: rendering,
    provider: options.provider,
    dispatch,
    clock,
    spent: options.spent,
    log: options.log,
  })
  return {
    reader,
    send: createSendMessage({
      store,
      templates: rendering,
      parties: (number, waId) => contacts.partiesOf(number, waId, null),
      find: reader.find,
      transmit: (outgoing) => transmitter.start(outgoing),
    }),
    preview: createPreviewMessage({ store, templates: rendering }),
    upload: createUploadMedia({
      enter: uploadPlaces(limits.mediaUploadsAtOnce),
      account: createSenderAccounts(sql, options.accounts),
      provider: options.provider,
    }),
    updates: createMessageUpdates({
      store,
      resolveParties: contacts.resolveParties,
      dispatch,
      clock,
      ignored: options.ignored,
      campaignSendFailed: createFailureReports(sql, options.log),
    }),
    sweep: () => sweepSends({ store, transmitter, dispatch, clock }),
    drain: () => transmitter.drain(),
  }
}
