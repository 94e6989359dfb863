// A number that can be written in two ways is one number.
import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import { createContactsStore } from '../../../src/messaging/store/contacts.store.ts'
import { fingerprintOf } from '../../../src/messaging/store/kept-opt-outs.ts'
import { createMessageStore } from '../../../src/messaging/store/messages.store.ts'
import { call, message, thread } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testAccounts, testCampaignHooks } from '../../support/message-store.ts'
import { erase, type Known, known, mentions, optOutKey, sql } from './world.ts'

describe('an erasure', () => {
  test('takes the number in whichever spelling it is asked for, also on lists', async () => {
    const who = await known('551187650001')
    const listed = '5511987650001'
    await sql`update recipients set wa_id = ${listed} where workspace_id = ${who.workspaceId}`
    const { counts, total } = await erase({ ...who, waId: listed })
    assert.deepEqual([counts, total], [{ recipients: 1, calls: 1, messages: 2, files: 1, events: 2 }, 3])
    assert.deepEqual(await mentions(who.secret), [])
    for (const spelling of [who.waId, listed]) assert.deepEqual(await mentions(spelling), [])
  })

  test('takes both contacts where each has one spelling of the number, and what either has besides', async () => {
    const who = await known('551187650002')
    const other = await thread(sql, who.workspaceId)
    await sql`update contacts set wa_id = '5511987650002', name = ${who.secret} where id = ${other.contactId}`
    await sql`
      insert into contact_aliases (workspace_id, address, contact_id)
      values (${who.workspaceId}, 'BR.77', ${other.contactId})`
    await message(sql, other, { text: who.secret, status: 'SENT' })
    await call(sql, other, { status: 'COMPLETED', fromName: who.secret })
    await sql`update recipients set wa_id = 'BR.77' where workspace_id = ${who.workspaceId}`
    const bystander = await thread(sql, who.workspaceId)
    const { counts, total } = await erase(who)
    assert.deepEqual([counts, total], [{ recipients: 1, calls: 2, messages: 3, files: 1, events: 2 }, 5])
    assert.deepEqual(await mentions(who.secret), [])
    for (const address of [who.waId, '5511987650002', 'BR.77']) assert.deepEqual(await mentions(address), [])
    const erased = await sql`
      select id from contacts where workspace_id = ${who.workspaceId} and erased_at is null`
    assert.deepEqual(
      erased.map(({ id }) => id),
      [bystander.contactId],
    )
  })
})

describe('an opt-out that is kept', () => {
  const spellings = ['551187651001', '5511987651001'] as const
  const stoppedAt = new Date('2026-11-01T10:00:00Z')
  const byUserId = (waId: string) => ({ ...personAt(waId, null), userId: 'BR.78' })

  // A number alone and one with a user id are learnt in two ways.
  for (const [first, other, personOf] of [
    [...spellings, (waId: string) => personAt(waId, null)],
    [spellings[1], spellings[0], byUserId],
  ] as const)
    test(`of ${first} holds for ${other}, also where only the first was kept`, async () => {
      const who = await stopped(first)
      await erase(who)
      await forgetOf(who, other)
      for (const address of spellings) assert.deepEqual(await contextOf(who, address), [true, true])
      const contacts = createContactsStore(sql, { optOutKey })
      const back = await contacts.resolveParties({
        phoneNumberId: `pn-${who.numberId}`,
        person: personOf(other),
      })
      const [row] = await sql`
        select opt_state, opt_changed_at, marketing_opt_out_at from contacts where id = ${back?.contactId ?? ''}`
      assert.deepEqual(
        { ...row },
        { optState: 'opted-out', optChangedAt: stoppedAt, marketingOptOutAt: stoppedAt },
      )
      await sql`
        update contacts set opt_state = 'opted-in', marketing_opt_out_at = null where workspace_id = ${who.workspaceId}`
      await erase(who)
      for (const address of spellings) assert.deepEqual(await contextOf(who, address), [false, false])
    })

  for (const [optedOut, other] of [spellings, [spellings[1], spellings[0]]] as const)
    test(`holds where the contact with ${optedOut} had it and another had not`, async () => {
      const who = await known(spellings[0])
      const second = await thread(sql, who.workspaceId)
      await sql`update contacts set wa_id = ${spellings[1]} where id = ${second.contactId}`
      const choose = (waId: string, state: string) => sql`
        update contacts set opt_state = ${state}, opt_changed_at = ${stoppedAt}
        where workspace_id = ${who.workspaceId} and wa_id = ${waId}`
      await choose(optedOut, 'opted-out')
      await choose(other, 'opted-in')
      await erase(who)
      for (const address of spellings) assert.deepEqual(await contextOf(who, address), [true, false])
    })

  async function stopped(waId: string): Promise<Known> {
    const who = await known(waId)
    await sql`
      update contacts
      set opt_state = 'opted-out', opt_changed_at = ${stoppedAt}, marketing_opt_out_at = ${stoppedAt},
        marketing_changed_at = ${stoppedAt}
      where id = ${who.contactId}`
    return who
  }

  /** As after an erasure of an earlier release, which kept the spelling that it knew. */
  async function forgetOf({ workspaceId }: Known, waId: string): Promise<void> {
    const key = (await optOutKey()) ?? assert.fail()
    const fingerprint = fingerprintOf(sql, key, { workspaceId, address: sql`${waId}::text` })
    for (const table of ['kept_opt_outs', 'kept_marketing_opt_outs']) {
      const forgotten = await sql`
        delete from ${sql(table)} where workspace_id = ${workspaceId} and fingerprint = ${fingerprint}`
      assert.equal(forgotten.count, 1, table)
    }
  }

  async function contextOf({ workspaceId }: Known, address: string): Promise<boolean[]> {
    const store = createMessageStore(sql, {
      accounts: testAccounts,
      optOutKey,
      campaigns: testCampaignHooks(sql),
    })
    const query = { from: null, templateName: 'x', templateLanguage: 'en_US', idempotencyKey: null }
    const context = await store.sendContext({ workspaceId, address, ...query })
    return [context.optedOut, context.marketingOptedOut]
  }
})
