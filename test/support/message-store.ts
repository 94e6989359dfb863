// The message store as production builds it: it updates a campaign's recipients together with their messages.
import type { AccountOptions } from '../../src/accounts/store/provider-account.ts'
import { recipientsFollow } from '../../src/campaigns/store/recipients-follow.ts'
import { createMessageStore } from '../../src/messaging/store/messages.store.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'

export const testAccounts: AccountOptions = { secrets: { open: () => 'token' }, defaultToken: 'token' }

export const testMessageStore = (sql: Pool) =>
  createMessageStore(sql, { accounts: testAccounts, recipientsFollow })
