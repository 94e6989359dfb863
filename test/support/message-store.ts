// The message store as production builds it: it updates a campaign's recipients together with their messages.
import { randomInt } from 'node:crypto'
import type { AccountOptions } from '../../src/accounts/store/provider-account.ts'
import { createCampaignHooks } from '../../src/campaigns/campaigns.module.ts'
import { type ConsentPorts, createConsent } from '../../src/messaging/consent.ts'
import type { SendStart } from '../../src/messaging/ports.ts'
import { createConsentStore } from '../../src/messaging/store/consent.store.ts'
import { createContactMemory, createContactsStore } from '../../src/messaging/store/contacts.store.ts'
import { createMessageStore } from '../../src/messaging/store/messages.store.ts'
import type { RestoreFence } from '../../src/platform/postgres/restore-watch.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { systemClock } from '../../src/shared/clock.ts'
import type { MessageId } from '../../src/shared/ids.ts'

export const testAccounts: AccountOptions = { secrets: { open: () => 'token' }, defaultToken: 'token' }

export const testMessageStore = (sql: Pool, fence?: RestoreFence) =>
  createMessageStore(sql, {
    accounts: testAccounts,
    optOutKey: async () => undefined,
    campaigns: testCampaignHooks(sql),
    fence,
  })

const silent = { info: () => undefined, warn: () => undefined }

export const testCampaignHooks = (sql: Pool) => createCampaignHooks(sql, silent)

/** The start of a send, as a process of its own makes it. */
export const startOf = (id: MessageId): SendStart => ({ id, by: randomInt(2 ** 31) })

/** Nobody has been erased. */
export const testContacts = (sql: Pool, options: { readonly cacheSize?: number } = {}) =>
  createContactsStore(sql, {
    optOutKey: async () => undefined,
    memory: createContactMemory(options.cacheSize),
  })

export const testConsent = (sql: Pool, ports: Partial<ConsentPorts> = {}) =>
  createConsent({
    ...{ store: createConsentStore(sql), contacts: testContacts(sql), dispatch: () => undefined },
    ...{ clock: systemClock, ignored: () => undefined },
    ...ports,
  })
