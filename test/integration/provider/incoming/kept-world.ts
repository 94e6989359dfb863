// Webhooks as the provider signs them, through the real way: parsed, applied to messages and calls, and kept.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { pino } from 'pino'
import { createMessageUpdates } from '../../../../src/messaging/apply-message-updates.ts'
import type { HttpRequest } from '../../../../src/platform/http/exchange.ts'
import { createInboundElementStore } from '../../../../src/platform/postgres/inbound-elements.store.ts'
import { createApplyUpdate } from '../../../../src/provider/incoming/apply-updates.ts'
import { createKeepElements } from '../../../../src/provider/incoming/keep-elements.ts'
import { postHere, providerWebhooks } from '../../../../src/provider/incoming/webhooks.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { testConsent, testContacts, testMessageStore } from '../../../support/message-store.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { Cluster } from '../../calls/gateway.ts'

export const appSecret = 'app-secret-for-tests'
export const wabaId = '770000000000009'

export async function openKept() {
  const database = await testDatabase()
  const sql = testPool(database)
  const store = createInboundElementStore(sql)
  const messages = createMessageUpdates({
    store: testMessageStore(sql),
    contacts: testContacts(sql),
    dispatch: () => undefined,
    clock: systemClock,
    ignored: () => undefined,
    campaignSendFailed: () => undefined,
    consent: testConsent(sql),
  })
  const keeper = createKeepElements({ store, log: { warn: () => undefined }, lingerMs: 1 })
  const apply = createApplyUpdate({
    messages,
    applyCallUpdate: new Cluster(sql).node().applyCallUpdate,
    applyTemplateChange: async () => false,
    templateEdited: () => undefined,
    applyAccountUpdate: async () => false,
    ignored: () => undefined,
  })
  /** The accounts that named a number of which nothing is known. */
  const unknown: string[] = []
  const receiver = (keep = keeper) =>
    providerWebhooks({
      appSecret,
      verifyToken: 'verify-for-tests',
      log: pino({ level: 'silent' }),
      numberUnknown: (account) => unknown.push(account),
      keep,
      apply,
    })
  const handler = receiver()

  /** Posts a body as the provider does. */
  async function post(body: string, to = handler): Promise<{ status: number; body: string }> {
    const answer = await to(requestOf(body))
    return { status: answer.status, body: String(answer.body ?? '') }
  }

  return {
    ...{ database, sql, store, receiver, post, unknown, postHere: postHere({ apply, keep: keeper }) },

    /** Posts these changes, and waits for what is written a moment after the answer. */
    async deliver(...changes: unknown[]): Promise<void> {
      const body = { object: 'whatsapp_business_account', entry: [{ id: wabaId, changes }] }
      assert.equal((await post(JSON.stringify(body))).status, 200)
      await keeper.drain()
    },

    /** What is kept of a workspace, in the order of arrival; null: of none. */
    keptOf: (workspaceId: string | null) => sql<Kept[]>`
      select * from inbound_elements where workspace_id is not distinct from ${workspaceId} order by id`,
  }
}

const requestOf = (body: string): HttpRequest => ({
  method: 'POST',
  path: '/provider/webhooks',
  query: new URLSearchParams(),
  requestId: 'req-1',
  publicUrl: 'http://gateway.test',
  remoteAddress: '127.0.0.1',
  signal: new AbortController().signal,
  header: (name) =>
    name === 'x-hub-signature-256'
      ? `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
      : undefined,
  body: () => Promise.resolve(Buffer.from(body)),
  bodyStream: () => assert.fail('webhooks are read whole'),
})

export interface Kept {
  readonly id: string
  readonly workspaceId: string | null
  readonly subjectKind: string | null
  readonly subjectId: string | null
  readonly reason: string | null
  readonly field: string | null
  readonly part: string | null
  readonly people: readonly string[] | null
  readonly body: string
  readonly fullBytes: number | null
  readonly appliedAt: Date | null
}
