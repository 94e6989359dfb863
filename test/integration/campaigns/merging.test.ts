// Claims that come while another process learns that two addresses are of one person.
import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { contact, drain, list, reasons, waiting } from './people-world.ts'
import { campaign, judge, newCampaignForEachTest, sql, store, tenant } from './sending-world.ts'

newCampaignForEachTest()

const contacts = testContacts(sql)

const phone = '15571110001'
const userId = 'PT.1'

const learn = () =>
  contacts.learn(tenant.workspaceId, {
    person: { phone, userId, parentUserId: null },
    ...{ also: [], proof: 'element', at: new Date() },
  })

const contactCount = async (): Promise<number> => {
  const rows = await sql`
    select from contacts where workspace_id = ${tenant.workspaceId} and erased_at is null`
  return rows.length
}

/** Both are in the middle of their work until `lock` is released: first the learning process, then the claim. */
async function claimedWhileLearning(lock: ReturnType<typeof sql>) {
  const { learning, claiming } = await sql.begin(async (tx) => {
    await tx`${lock}`
    const learning = learn()
    await waiting(1)
    const claiming = store.claim(campaign, 1, judge)
    const claimed = new AbortController()
    void claiming.finally(() => claimed.abort()).catch(() => undefined)
    await waiting(2, claimed.signal)
    return { learning, claiming }
  })
  await learning
  return claiming
}

describe('a claim of an address', () => {
  for (const optState of ['opted-in', 'opted-out'])
    test(`whose contact, ${optState}, becomes one with another one takes nobody for a stranger`, async () => {
      const lost = await contact(userId, { optState })
      await contact(phone)
      await sql`
        insert into conversations (id, workspace_id, number_id, contact_id)
        values (new_uuid(), ${tenant.workspaceId}, ${tenant.numberId}, ${lost})`
      await list(userId, phone)
      const batch = await claimedWhileLearning(
        sql`select from conversations where workspace_id = ${tenant.workspaceId} for update`,
      )
      assert.deepEqual(batch, { picked: 1, claimed: [] })
      assert.equal(await contactCount(), 1)
      const claimed = await drain()
      if (optState === 'opted-out') {
        assert.deepEqual(claimed, [])
        assert.deepEqual(await reasons(), { [userId]: 'OPTED_OUT', [phone]: 'OPTED_OUT' })
      } else {
        assert.deepEqual(
          claimed.map(({ address }) => address),
          [phone],
        )
        assert.deepEqual(await reasons(), { [userId]: 'QUEUED', [phone]: 'DUPLICATE_PERSON' })
      }
      assert.equal(await contactCount(), 1)
    })

  test('that nobody had waits for who gives it to a contact', async () => {
    await contact(phone)
    await list(userId)
    const batch = await claimedWhileLearning(
      sql`select from contacts where workspace_id = ${tenant.workspaceId} for update`,
    )
    assert.deepEqual(
      batch?.claimed.map(({ address }) => address),
      [phone],
    )
    assert.equal(await contactCount(), 1)
  })
})
