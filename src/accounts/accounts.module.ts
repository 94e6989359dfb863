// The accounts feature, built from its parts: API keys, operators, members, sessions and the audit.

import type { Settings } from '../platform/config/settings.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import { createAuthenticator } from './authenticate-key.ts'
import { createKeyDownloads } from './key-downloads.ts'
import { keyEnvironment } from './key-format.ts'
import { createPasswordHasher } from './password.ts'
import { createAuditStore } from './store/audit.store.ts'
import { createConsoleKeyStore } from './store/console-keys.store.ts'
import { createInvitationStore } from './store/invitations.store.ts'
import { createKeyStore } from './store/keys.store.ts'
import { createMemberStore } from './store/members.store.ts'
import { createOperatorStore } from './store/operators.store.ts'
import { createSessionStore } from './store/sessions.store.ts'
import { createWorkspaceAdminStore } from './store/workspace-admin.store.ts'

export interface AccountsOptions {
  readonly sql: Pool
  /** For the keys of requests: whoever answers a call waits for that. */
  readonly urgent?: Pool
  readonly settings: Pick<Settings, 'APP_ENV'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** The stores of accounts that operators work with. */
export const createAccountRecords = (sql: Pool) => ({
  operators: createOperatorStore(sql),
  sessions: createSessionStore(sql),
  members: createMemberStore(sql),
  invitations: createInvitationStore(sql),
  workspace: createWorkspaceAdminStore(sql),
  keys: createConsoleKeyStore(sql),
  audit: createAuditStore(sql),
})

export const createAccounts = ({ sql, urgent = sql, settings, clock, log }: AccountsOptions) => ({
  ...createAccountRecords(sql),
  noteDownload: createKeyDownloads(createAuditStore(sql), clock),
  passwords: createPasswordHasher(),
  authenticate: createAuthenticator({
    keys: createKeyStore(urgent),
    environment: keyEnvironment(settings.APP_ENV),
    clock,
    onTouchFailed: (error) => log.warn({ error: String(error) }, 'key.touch_failed'),
  }),
})

export type Accounts = ReturnType<typeof createAccounts>
