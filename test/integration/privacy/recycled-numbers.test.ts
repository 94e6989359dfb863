// Somebody who hid the number has lost it, and somebody else has it now.
import assert from 'node:assert/strict'
import { newId } from '../../../src/shared/ids.ts'
import { thread } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { contentOf, erase, exported, type Known, known, sql } from './world.ts'

/** Each of the two was sent one campaign to the number; `later` is on a third, which has not been sent. */
async function twoOwners(): Promise<{ earlier: Known; later: Known }> {
  const earlier = await known()
  const { waId, workspaceId } = earlier
  const userId = `PT.${earlier.contactId.replaceAll('-', '')}`
  await sql`update contacts set wa_id = ${userId}, user_id = ${userId} where id = ${earlier.contactId}`
  await sql`update recipients set contact_id = ${earlier.contactId} where workspace_id = ${workspaceId}`
  const own = await thread(sql, workspaceId)
  await sql`update contacts set wa_id = ${waId} where id = ${own.contactId}`
  const secret = `secret-${own.contactId}`
  for (const contactId of [own.contactId, null]) {
    const id = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${id}, ${workspaceId}, 'Spring', 'hello', 'en_US')`
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, contact_id, variables)
      values (${newId('recipient')}, ${workspaceId}, ${id}, ${waId}, ${contactId}, ${sql.json({ secret })})`
  }
  return { earlier: { ...earlier, waId: userId }, later: { ...earlier, ...own, waId, secret } }
}

const listed = async ({ workspaceId }: Known) =>
  (
    await sql<
      { secret: string }[]
    >`select variables ->> 'secret' as secret from recipients where workspace_id = ${workspaceId}`
  ).map(({ secret }) => secret)

describe('rows of lists to a number that two have had', () => {
  test('are exported with the contact to which they were sent', async () => {
    const { earlier, later } = await twoOwners()
    const ofEarlier = await contentOf(earlier, await exported(earlier))
    assert.ok(ofEarlier.includes(earlier.secret))
    assert.ok(!ofEarlier.includes(later.secret))
    const ofLater = await contentOf(later, await exported(later))
    assert.ok(ofLater.includes(later.secret))
    assert.ok(!ofLater.includes(earlier.secret))
  })

  test('stay for who has the number now when the other is erased', async () => {
    const { earlier, later } = await twoOwners()
    const { counts } = await erase(earlier)
    assert.equal(counts.recipients, 1)
    assert.deepEqual(await listed(later), [later.secret, later.secret])
  })
})
