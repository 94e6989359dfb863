// Opt-outs outlive the erasure of a person.
import assert from 'node:assert/strict'
import { claimRecipients } from '../../../src/campaigns/store/campaign-claims.store.ts'
import { personAt } from '../../../src/contract/person.ts'
import { createContactsStore } from '../../../src/messaging/store/contacts.store.ts'
import { createMessageStore } from '../../../src/messaging/store/messages.store.ts'
import { noFence } from '../../../src/platform/postgres/restore-watch.ts'
import { newId } from '../../../src/shared/ids.ts'
import { eventually } from '../../e2e/scene.ts'
import { describe, test } from '../../support/harness.ts'
import { testAccounts, testCampaignHooks } from '../../support/message-store.ts'
import { ask, erase, type Known, known, listed, mentions, optOutKey, sql, workUntil } from './world.ts'

const phoneNumberIdOf = (who: Known) => `pn-${who.numberId}`

describe('an opt-out', () => {
  test('outlives the erasure: no send, no claim, and a new contact is opted out until START', async () => {
    const who = await known()
    await sql`
      update contacts set opt_state = 'opted-out', opt_changed_at = '2026-11-01T10:00:00Z' where id = ${who.contactId}`
    await erase(who)
    const kept = await sql<{ fingerprint: Buffer }[]>`
      select fingerprint from kept_opt_outs where workspace_id = ${who.workspaceId}`
    assert.equal(kept.length, 1)
    assert.equal(kept[0]?.fingerprint.length, 32)
    const store = createMessageStore(sql, {
      accounts: testAccounts,
      optOutKey,
      campaigns: testCampaignHooks(sql),
    })
    const query = { from: null, templateName: 'x', templateLanguage: 'en_US', idempotencyKey: null }
    const contextOf = (workspaceId: Known['workspaceId']) =>
      store.sendContext({ workspaceId, address: who.waId, ...query })
    assert.equal((await contextOf(who.workspaceId)).optedOut, true)
    assert.deepEqual(await skippedBy(who), { status: 'SKIPPED', skippedReason: 'OPTED_OUT' })
    assert.equal((await sql`select from contacts where wa_id = ${who.waId}`).count, 0, 'no row is made')
    const elsewhere = await known()
    assert.equal((await contextOf(elsewhere.workspaceId)).optedOut, false)
    const contacts = createContactsStore(sql, { optOutKey })
    const back = await contacts.resolveParties({
      phoneNumberId: phoneNumberIdOf(who),
      person: personAt(who.waId, null),
    })
    const [row] =
      await sql`select opt_state, opt_changed_at from contacts where id = ${back?.contactId ?? ''}`
    assert.deepEqual({ ...row }, { optState: 'opted-out', optChangedAt: new Date('2026-11-01T10:00:00Z') })
    // START, then a second erasure: nothing is kept of somebody who wants to be written to.
    await sql`update contacts set opt_state = 'opted-in' where id = ${back?.contactId ?? ''}`
    await erase(who)
    assert.equal((await contextOf(who.workspaceId)).optedOut, false)
  })
})

describe('an address that is learnt while the erasure waits for the contact', () => {
  test('is erased everywhere, and the opt-out is kept for it, too', async () => {
    const who = await known()
    const { workspaceId, contactId, secret } = who
    const userId = `PT.${contactId.replaceAll('-', '')}`
    await sql`update contacts set opt_state = 'opted-out', opt_changed_at = now() where id = ${contactId}`
    await listed(workspaceId, userId, secret)
    await sql`
      insert into inbound_elements (id, workspace_id, reason, people, body)
      values (new_uuid(), ${workspaceId}, 'unknown', ${[userId]}, ${secret})`
    const id = await ask(who)
    const { erased } = await sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`
      // Its reference to the contact is what the erasure waits for.
      await tx`
        insert into contact_aliases (workspace_id, address, contact_id) values (${workspaceId}, ${userId}, ${contactId})`
      const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      const working = workUntil('COMPLETED', id)
      await eventually('the last step waits', async () => {
        const waiting = await sql`
          select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
        return waiting.count > 0
      })
      return { erased: working }
    })
    await erased
    const store = createMessageStore(sql, {
      accounts: testAccounts,
      optOutKey,
      campaigns: testCampaignHooks(sql),
    })
    const query = { from: null, templateName: 'x', templateLanguage: 'en_US', idempotencyKey: null }
    for (const address of [who.waId, userId])
      assert.equal((await store.sendContext({ workspaceId, address, ...query })).optedOut, true)
    for (const text of [secret, userId]) assert.deepEqual(await mentions(text), [])
  })
})

describe('a marketing opt-out', () => {
  test('outlives the erasure until it is ended; other templates are sent', async () => {
    const who = await known()
    const stoppedAt = new Date('2026-11-01T10:00:00Z')
    await sql`
      update contacts set marketing_opt_out_at = ${stoppedAt}, marketing_changed_at = ${stoppedAt}
      where id = ${who.contactId}`
    await erase(who)
    const store = createMessageStore(sql, {
      accounts: testAccounts,
      optOutKey,
      campaigns: testCampaignHooks(sql),
    })
    const query = { from: null, templateName: 'x', templateLanguage: 'en_US', idempotencyKey: null }
    const contextOf = async () => {
      const context = await store.sendContext({ workspaceId: who.workspaceId, address: who.waId, ...query })
      return [context.optedOut, context.marketingOptedOut]
    }
    assert.deepEqual(await contextOf(), [false, true])
    assert.deepEqual(await skippedBy(who, 'MARKETING'), {
      status: 'SKIPPED',
      skippedReason: 'MARKETING_OPTED_OUT',
    })
    // The claim has made a contact again, which is as opted out.
    assert.deepEqual(await contextOf(), [false, true])
    await sql`update contacts set marketing_opt_out_at = null where wa_id = ${who.waId}`
    await erase(who)
    assert.deepEqual(await contextOf(), [false, false])
  })
})

/** A campaign of the workspace that has this person on its list again claims its recipients. */
async function skippedBy({ workspaceId, numberId, waId }: Known, category = 'UTILITY') {
  const id = newId('campaign')
  const recipientId = newId('recipient')
  await sql`
    insert into campaigns (id, workspace_id, name, template_name, template_language, status, number_id, epoch)
    values (${id}, ${workspaceId}, 'Winter', 'hello', 'en_US', 'RUNNING', ${numberId}, 1)`
  await sql`
    insert into recipients (id, workspace_id, campaign_id, wa_id) values (${recipientId}, ${workspaceId}, ${id}, ${waId})`
  const campaign = {
    id,
    workspaceId,
    numberId,
    epoch: 1,
    template: { name: 'hello', language: 'en_US' },
    definition: { category },
  }
  const judge = () => assert.fail('nobody is left to be sent to')
  const claimed = await claimRecipients(sql, campaign as never, {
    limit: 10,
    judge,
    optOutKey: await optOutKey(),
    fence: noFence,
  })
  assert.deepEqual(claimed, { picked: 1, claimed: [] })
  const [row] = await sql`select status, skipped_reason from recipients where id = ${recipientId}`
  return { ...row }
}
