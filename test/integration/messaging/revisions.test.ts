// Messages that are edited and taken back, and what counts as an answer to a campaign.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { personAt } from '../../../src/contract/person.ts'
import type { InboundMessageUpdate } from '../../../src/contract/provider-updates.ts'
import type { MessageDetails } from '../../../src/contract/records/message-details.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000
const waId = '15557000001'
const reader = createMessageReader(sql)

const gatewayOf = () =>
  createMessageUpdates({
    store: testMessageStore(sql),
    contacts: testContacts(sql),
    dispatch: () => undefined,
    clock: systemClock,
    ignored: (type) => assert.fail(type),
    campaignSendFailed: () => undefined,
    consent: testConsent(sql),
  })
const gateways = [gatewayOf(), gatewayOf()]
const apply = (update: InboundMessageUpdate, index = 0) =>
  (gateways[index % gateways.length] ?? assert.fail('no gateway')).applyInbound(update)

interface Said extends Partial<InboundMessageUpdate> {
  readonly second: number
}

const inbound = (tenant: Tenant, { second, ...patch }: Said): InboundMessageUpdate => ({
  ...{ type: 'inboundMessage', phoneNumberId: tenant.phoneNumberId, from: personAt(waId, 'Ines') },
  ...{ providerMessageId: `wamid.${newId('message')}`, at: new Date(startMs + second * 1_000) },
  ...{ messageType: 'TEXT', text: '', media: null, details: null },
  ...patch,
})

const edits = (providerMessageId: string): MessageDetails => ({
  edit: { messageId: null, providerMessageId },
})
const revokes = (providerMessageId: string): MessageDetails => ({
  revoke: { messageId: null, providerMessageId },
})

const recordOf = async ({ workspaceId }: Tenant, providerMessageId: string) => {
  const { data } = await reader.list(workspaceId, { providerMessageId }, { limit: 1 })
  return data[0] ?? assert.fail('no record')
}

/** All orders of three. */
const orders = [
  ...[[0, 1, 2] as const, [0, 2, 1] as const, [1, 0, 2] as const],
  ...[[1, 2, 0] as const, [2, 0, 1] as const, [2, 1, 0] as const],
]

describe('a message and what changes it', () => {
  test('edited after its content was removed stays empty', async () => {
    const tenant = await addTenant(sql)
    const said = inbound(tenant, { second: 0, text: 'At nine' })
    const { providerMessageId } = said
    await apply(said)
    await sql`
      with emptied as (
        update messages set text = '', details = null where provider_message_id = ${providerMessageId} returning id
      )
      update workspaces set content_removed_to = emptied.id from emptied where workspaces.id = ${tenant.workspaceId}`
    await apply(
      inbound(tenant, {
        ...{ second: 60, messageType: 'EDIT', text: 'At ten' },
        details: edits(providerMessageId),
      }),
    )
    const [row] =
      await sql`select text, details from messages where provider_message_id = ${providerMessageId}`
    assert.deepEqual({ ...row }, { text: '', details: null })
  })

  test('come to the same where they are written at the same time', async () => {
    const tenant = await addTenant(sql)
    await apply(inbound(tenant, { second: 0, text: 'before' }))
    const original = inbound(tenant, { second: 1, text: 'at five' })
    const revoke = inbound(tenant, {
      ...{ second: 2, messageType: 'REVOKE', details: revokes(original.providerMessageId) },
    })
    const writing = await sql.begin(async (tx) => {
      // Stands for a revoke that is being written by another process, and is not yet seen.
      const [row] = await tx<{ id: string }[]>`
        update conversations set last_event_id = ${newId('event')} where workspace_id = ${tenant.workspaceId} returning id`
      const written = apply(original)
      const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      const waiting = () => sql`
        select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
      while ((await waiting()).length === 0) await sleep(20)
      await tx`
        insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
          type, status, text, details, created_at)
        select ${newId('message')}, ${tenant.workspaceId}, id, number_id, contact_id, ${revoke.providerMessageId},
          'INBOUND', 'REVOKE', 'READ', '', ${tx.json(revoke.details as never)}, ${revoke.at}
        from conversations
        where id = ${row?.id ?? ''}`
      return { written }
    })
    await writing.written
    assert.equal((await recordOf(tenant, original.providerMessageId)).text, '')
  })

  for (const order of orders)
    test(`come to the same in the order ${order.join(', ')}, and when posted again`, async () => {
      const tenant = await addTenant(sql)
      const original = inbound(tenant, { second: 0, text: 'at five' })
      const details = edits(original.providerMessageId)
      const updates = [
        original,
        inbound(tenant, { second: 1, messageType: 'EDIT', text: 'at six', details }),
        inbound(tenant, { second: 2, messageType: 'EDIT', text: 'at seven', details }),
      ]
      for (const [turn, index] of order.entries()) await apply(updates[index] ?? original, turn)
      for (const update of updates) await apply(update)
      const record = await recordOf(tenant, original.providerMessageId)
      assert.deepEqual(
        [record.text, record.details?.edited?.versions.map(({ text }) => text)],
        ['at seven', ['at five', 'at six']],
      )
    })

  test('taken back loses its text, its file and the texts of its edits, whichever came first', async () => {
    const media = { providerMediaId: '7', mimeType: 'image/png', fileName: 'secret.png', sha256: null }
    for (const order of orders) {
      const tenant = await addTenant(sql)
      const original = inbound(tenant, { second: 0, messageType: 'IMAGE', text: 'secret', media })
      const id = original.providerMessageId
      const updates = [
        original,
        inbound(tenant, { second: 1, messageType: 'EDIT', text: 'secret too', details: edits(id) }),
        inbound(tenant, { second: 2, messageType: 'REVOKE', details: revokes(id) }),
      ]
      for (const [turn, index] of order.entries()) await apply(updates[index] ?? original, turn)
      const { text, details, media: file } = await recordOf(tenant, id)
      const revoked = { at: new Date(startMs + 2_000).toISOString() }
      assert.deepEqual({ text, details, file }, { text: '', details: { revoked }, file: null })
      const left = await sql`
        select from messages where workspace_id = ${tenant.workspaceId} and text like '%secret%'`
      assert.equal(left.count, 0)
      const deletions = await sql`select from blob_deletions where key like ${`${tenant.workspaceId}/%`}`
      assert.equal(deletions.count, 1, 'the file is deleted, also one that is still on its way')
    }
  })

  test('is found by its change where lists are polled', async () => {
    const tenant = await addTenant(sql)
    const original = inbound(tenant, { second: 0, text: 'at five' })
    await apply(original)
    const [{ now: before } = assert.fail()] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
    const details = edits(original.providerMessageId)
    await apply(inbound(tenant, { second: 1, messageType: 'EDIT', text: 'at six', details }))
    const { data } = await reader.list(tenant.workspaceId, { updatedSince: before }, { limit: 10 })
    assert.ok(data.some(({ providerMessageId }) => providerMessageId === original.providerMessageId))
  })

  test('of another workspace is left alone', async () => {
    const [tenant, stranger] = [await addTenant(sql), await addTenant(sql)]
    const original = inbound(tenant, { second: 0, text: 'at five' })
    await apply(original)
    const details = revokes(original.providerMessageId)
    const update = inbound(stranger, { second: 1, messageType: 'REVOKE', details })
    await apply(update)
    assert.equal((await recordOf(tenant, original.providerMessageId)).text, 'at five')
    const record = await recordOf(stranger, update.providerMessageId)
    assert.equal(record.details?.revoke?.messageId, null)
  })
})

test('an answer to a campaign is what is said to us, and no reaction, edit, notice or message of a group', async () => {
  const tenant = await addTenant(sql)
  const { conversationId } = await testContacts(sql).partiesOf(tenant, { person: personAt(waId) })
  const [campaignId, recipientId] = [newId('campaign'), newId('recipient')]
  await sql`
    insert into campaigns (id, workspace_id, name, template_name, template_language)
    values (${campaignId}, ${tenant.workspaceId}, 'Autumn', 'hello', 'en_US')`
  await sql`
    insert into recipients (id, workspace_id, campaign_id, wa_id, status)
    values (${recipientId}, ${tenant.workspaceId}, ${campaignId}, ${waId}, 'SENT')`
  await sql`
    update conversations set campaign_recipient_id = ${recipientId}, campaign_sent_at = now() - interval '2 hours'
    where id = ${conversationId}`
  const repliedAt = async () => {
    const [row] = await sql<{ repliedAt: Date | null }[]>`
      select replied_at from recipients where id = ${recipientId}`
    return row?.repliedAt
  }
  const reaction = { messageId: null, providerMessageId: 'wamid.1', emoji: null, removed: true }
  const silent: Said[] = [
    { second: 1, messageType: 'REACTION', details: { reaction } },
    {
      second: 2,
      messageType: 'REACTION',
      details: { reaction: { ...reaction, emoji: '👍', removed: false } },
    },
    { second: 3, messageType: 'EDIT', text: 'new', details: edits('wamid.1') },
    { second: 4, messageType: 'REVOKE', details: revokes('wamid.1') },
    { second: 5, messageType: 'SYSTEM' },
    { second: 6, messageType: 'UNSUPPORTED', details: { providerType: 'request_welcome' } },
    { second: 7, text: 'Hello all', details: { group: { id: 'g' } } },
  ]
  for (const said of silent) {
    await apply(inbound(tenant, said))
    assert.equal(await repliedAt(), null, said.messageType)
  }
  await apply(inbound(tenant, { second: 8, text: 'Yes' }))
  assert.deepEqual(await repliedAt(), new Date(startMs + 8_000))
})
