// The messaging feature: messages, conversations, contacts, templates, numbers and attachments.

import type { AccountOptions } from '../accounts/store/provider-account.ts'
import type { BlobStore } from '../contract/blobs.ts'
import type { Dispatch } from '../contract/dispatch.ts'
import { limits } from '../contract/limits.ts'
import { personAt } from '../contract/person.ts'
import type { Provider } from '../contract/provider.ts'
import type {
  TemplateCategoryUpdate,
  TemplateContentUpdate,
  TemplateStatusUpdate,
} from '../contract/provider-updates.ts'
import type { Failure } from '../contract/records/failure.ts'
import type { HandoverGround } from '../platform/cluster/update-handover.ts'
import { downloadPlaces, uploadPlaces } from '../platform/http/upload-places.ts'
import type { RestoreFence } from '../platform/postgres/restore-watch.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import type { Clock } from '../shared/clock.ts'
import type { MessageId, WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { createAccountHealth } from './account-health.ts'
import { createMessageUpdates, type MessageUpdatePorts } from './apply-message-updates.ts'
import { createAttemptSend } from './attempt-send.ts'
import { createConsent } from './consent.ts'
import { createMediaFetcher } from './fetch-media.ts'
import { createFindAttachment } from './find-attachment.ts'
import { createMessageHandover } from './host/handed-messages.ts'
import { createCatalogRefresh } from './host/refresh-catalog.ts'
import { type CatalogSync, syncCatalog } from './host/sync-catalog.ts'
import { createReadMarks } from './mark-read.ts'
import type { TemplateRendering } from './ports.ts'
import { createPreviewMessage } from './preview-message.ts'
import { renderTemplate, toProviderComponents } from './render-template.ts'
import { createSendMessage } from './send-message.ts'
import { type CampaignsHalted, createAccountHealthStore } from './store/account-health.store.ts'
import { createCatalogSyncStore } from './store/catalog-sync.store.ts'
import { createConsentStore } from './store/consent.store.ts'
import { moveMerged } from './store/contact-merge.ts'
import { createContactMemory, createContactsStore } from './store/contacts.store.ts'
import { createConversationReader } from './store/conversations-read.store.ts'
import { createDueNumbersStore } from './store/due-numbers.store.ts'
import { createOptOutKeyReader } from './store/kept-opt-outs.ts'
import { createMediaStore } from './store/media.store.ts'
import { createMessageStore } from './store/messages.store.ts'
import { createMessageReader } from './store/messages-read.store.ts'
import { createNumberReader } from './store/numbers.store.ts'
import { createNumberAdminStore } from './store/numbers-admin.store.ts'
import { createReadMarkStore } from './store/read-marks.store.ts'
import { createSenderAccountStore } from './store/sender-accounts.store.ts'
import type { CampaignSends } from './store/sends.store.ts'
import { createTemplateSubmissionStore } from './store/template-submission.store.ts'
import { createTemplateStore } from './store/templates.store.ts'
import { createUploadStore } from './store/uploads.store.ts'
import { createStoreUpload } from './store-upload.ts'
import { createTemplateSubmissions } from './submit-template.ts'
import { sweepSends } from './sweep-sends.ts'
import { variableFaults } from './template-variables.ts'
import { createTransmitter } from './transmit-message.ts'
import { createUploadMedia } from './upload-media.ts'
import { createUploadSample } from './upload-sample.ts'

/** What campaigns do when one of their messages changes its status or fails. */
export interface CampaignHooks extends CampaignSends {
  readonly campaignsHalted: CampaignsHalted
  readonly sendFailed: (messageId: MessageId, error: Failure) => void
}

export interface MessagingOptions {
  readonly sql: Pool
  /** The connections of calls, for who calls and on whose behalf the provider is asked. */
  readonly urgent?: Pool
  readonly accounts: AccountOptions
  readonly provider: Provider
  readonly blobs: BlobStore
  readonly campaigns: CampaignHooks
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly log: Log
  /** Called for provider updates that concern nothing here. */
  readonly ignored: (type: string) => void
  /** In a gateway: inbound messages go to the one that owns the endpoint. */
  readonly handover?: Omit<HandoverGround, 'clock' | 'log'>
  /** In a process that sweeps sends. */
  readonly fence?: RestoreFence
  /** Called for each single send: single sends and campaigns share the rate of a number. */
  readonly spent: (phoneNumberId: string) => void
}

export type Messaging = ReturnType<typeof createMessaging>

export const templateRendering: TemplateRendering = {
  render(template, variables) {
    const rendered = renderTemplate(template, variables)
    return { text: rendered.text, faults: variableFaults(rendered) }
  },
  preview: renderTemplate,
  providerComponents: toProviderComponents,
}

/** The stores that read messaging data, and the stores that operators work with. */
export const createMessagingRecords = (sql: Pool) => ({
  messages: createMessageReader(sql),
  conversations: createConversationReader(sql),
  templates: createTemplateStore(sql),
  numbers: createNumberReader(sql),
  numberAdmin: createNumberAdminStore(sql),
  dueNumbers: createDueNumbersStore(sql),
  accountStates: createAccountHealthStore(sql),
})

export function createMessaging(options: MessagingOptions) {
  const { sql, accounts, provider, dispatch, campaigns, clock, log } = options
  const records = createMessagingRecords(sql)
  const { optOutKey, contacts, ...people } = peopleOf(options)
  const senderAccounts = createSenderAccountStore(sql, accounts)
  const catalog = createCatalogSyncStore(sql, accounts)
  const store = createMessageStore(sql, { accounts, optOutKey, campaigns, fence: options.fence })
  const templates = templateRendering
  const { learn } = contacts
  const accountHealth = healthOf(options)
  const consent = createConsent({ ...options, store: createConsentStore(sql), contacts })
  const { sendFailed } = accountHealth
  const attemptSend = createAttemptSend({ ...options, ...store, templates, learn, consent, sendFailed })
  const connected = async (workspaceId: WorkspaceId) => (await catalog.accounts({ workspaceId }))[0]
  const transmitter = createTransmitter({ store, attemptSend, clock, spent: options.spent, log })
  return {
    ...records,
    ...people,
    contacts,
    senderAccounts,
    attemptSend,
    changeStatuses: store.changeStatuses,
    send: createSendMessage({
      store,
      templates,
      parties: (number, address, isFresh) =>
        contacts.partiesOf(number, { person: personAt(address), isFresh }),
      find: records.messages.find,
      transmit: (outgoing) => transmitter.start(outgoing),
      clock,
    }),
    preview: createPreviewMessage({ store, templates, clock }),
    ...uploadsOf(options, { ofNumber: senderAccounts.ofNumber, ofWorkspace: connected }),
    ...updatesOf(options, { store, contacts, consent, sendFailed }),
    readMarks: createReadMarks({
      store: createReadMarkStore(sql, accounts),
      provider,
      find: records.messages.find,
      clock,
    }),
    submissions: createTemplateSubmissions({
      provider,
      account: connected,
      store: createTemplateSubmissionStore(sql),
    }),
    media: mediaOf(options),
    ...catalogOf(options, { store: catalog, templates: records.templates, accountHealth }),
    applyAccountUpdate: accountHealth.applyUpdate,
    moveMerged: () => moveMerged(sql),
    sweepSends: () => sweepSends({ store, transmitter, dispatch, clock }),
    /** Resolves when no single send is in progress. */
    drain: () => transmitter.drain(),
  }
}

function updatesOf(
  options: MessagingOptions,
  parts: Pick<MessageUpdatePorts, 'store' | 'contacts' | 'consent' | 'sendFailed'>,
) {
  const { clock, log, campaigns } = options
  const handover = options.handover && createMessageHandover({ ...options.handover, clock, log })
  const here = createMessageUpdates({
    ...options,
    ...parts,
    campaignSendFailed: campaigns.sendFailed,
    ...(handover && { noteEndpoints: handover.noteEndpoints }),
  })
  const { applyInbound } = here
  return {
    updates: handover ? { ...here, applyInbound: handover.through(applyInbound) } : here,
    /** For the inbound messages that other gateways hand over. */
    handedUpdates: handover?.asked(applyInbound),
  }
}

interface CatalogParts extends Pick<CatalogSync, 'store' | 'templates'> {
  readonly accountHealth: ReturnType<typeof healthOf>
}

function catalogOf(
  { provider, clock, log }: MessagingOptions,
  { store, templates, accountHealth }: CatalogParts,
) {
  const sync = { store, templates, provider, limitRead: accountHealth.limitRead, log }
  const read = (scope: { readonly wabaId: string; readonly onlyNumbers?: boolean }) =>
    syncCatalog(sync, scope).catch((error: unknown) =>
      log.warn({ wabaId: scope.wabaId, error: String(error) }, 'catalog.sync_failed'),
    )
  const refresh = createCatalogRefresh({ sync: (wabaId) => read({ wabaId }), clock })
  const refreshNumbers = createCatalogRefresh({
    sync: (wabaId) => read({ wabaId, onlyNumbers: true }),
    restMs: 60_000,
    clock,
  })
  return {
    async applyTemplateChange(update: TemplateStatusUpdate | TemplateCategoryUpdate) {
      const isKnown = await store.applyTemplateChange(update)
      if (!isKnown) refresh(update.wabaId)
      return isKnown && accountHealth.templateChanged(update)
    },
    templateEdited: ({ wabaId }: TemplateContentUpdate) => refresh(wabaId),
    numberUnknown: refreshNumbers,
    syncCatalog: (signal?: AbortSignal) => syncCatalog(sync, { signal }),
  }
}

/** Calls find the same people on connections of their own. */
function peopleOf({ sql, urgent = sql, accounts }: MessagingOptions) {
  const optOutKey = createOptOutKeyReader(urgent, accounts.secrets)
  const memory = createContactMemory()
  return {
    optOutKey,
    contacts: createContactsStore(sql, { optOutKey, memory }),
    ofCalls: {
      contacts: createContactsStore(urgent, { optOutKey, memory }),
      accounts: createSenderAccountStore(urgent, accounts).ofPhoneNumber,
    },
  }
}

function healthOf({ sql, campaigns, dispatch, clock, log }: MessagingOptions) {
  const store = createAccountHealthStore(sql)
  return createAccountHealth({
    apply: (report) => store.apply(report, new Date(clock.now()), campaigns.campaignsHalted),
    limitOf: store.limitOf,
    ...{ dispatch, clock, log },
  })
}

interface UploadAccounts {
  readonly ofNumber: Parameters<typeof createUploadMedia>[0]['account']
  readonly ofWorkspace: Parameters<typeof createUploadSample>[0]['account']
}

function uploadsOf(
  { sql, accounts, blobs, provider, clock, log }: MessagingOptions,
  { ofNumber, ofWorkspace }: UploadAccounts,
) {
  const enter = uploadPlaces(limits.mediaUploadsAtOnce)
  return {
    uploadSample: createUploadSample({ enter, account: ofWorkspace, provider }),
    upload: createUploadMedia({ enter, account: ofNumber, provider }),
    storeUpload: createStoreUpload({
      store: createUploadStore(sql, accounts),
      enter: uploadPlaces(limits.uploadsAtOnce),
      ...{ blobs, provider, clock, log },
    }),
  }
}

function mediaOf({ sql, accounts, provider, blobs, clock, log }: MessagingOptions) {
  const store = createMediaStore(sql, accounts)
  const fetcher = createMediaFetcher({ store, provider, blobs, clock, log })
  return {
    find: createFindAttachment({ store, fetcher, blobs, clock }),
    /** One pool for the public API and the console. */
    enter: downloadPlaces(limits.downloadsAtOnce),
    sweep: () => fetcher.sweep(),
    drain: () => fetcher.drain(),
  }
}
