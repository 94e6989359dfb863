import assert from 'node:assert/strict'
import { type Person, personAt } from '../../../src/contract/person.ts'
import { createConversationReader } from '../../../src/messaging/store/conversations-read.store.ts'
import { test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addWorkspace } from '../calls/rows.ts'

const sql = testPool(await testDatabase())
const conversations = createConversationReader(sql)
const who = { phone: '351911111111', userId: 'PT.44100928' }

test('two contacts that become one are opted out as either of them chose last', async () => {
  const [early, late] = [new Date('2026-11-20T10:00:00Z'), new Date('2026-11-20T11:00:00Z')]
  type Choice = readonly [out: boolean, at: Date]
  const choices: (readonly [byId: Choice | null, byPhone: Choice | null, isOut: boolean])[] = [
    [[true, early], null, true],
    [null, [true, early], true],
    [[true, early], [false, late], false],
    [[false, late], [true, early], false],
    [[false, early], [true, late], true],
    [[true, late], [false, early], true],
    [[true, late], [false, late], true],
    [[false, late], [true, late], true],
  ]
  for (const [byId, byPhone, isOut] of choices) {
    const world = await addWorkspace(sql)
    const seen = async (named: Partial<Person>) => {
      const person = { ...personAt(who.phone), phone: null, userId: null, ...named }
      return (
        (await testContacts(sql).resolveParties({ phoneNumberId: world.phoneNumberId, person })) ??
        assert.fail()
      )
    }
    const choose = async (named: Partial<Person>, choice: Choice | null) => {
      const { contactId } = await seen(named)
      if (choice === null) return
      const [out, at] = choice
      await sql`
        update contacts
        set opt_state = ${out ? 'opted-out' : 'opted-in'}, opt_changed_at = ${at},
          marketing_opt_out_at = ${out ? at : null}, marketing_changed_at = ${at}
        where id = ${contactId}`
    }
    await choose({ userId: who.userId }, byId)
    await choose({ phone: who.phone }, byPhone)
    await seen(who)
    const { data } = await conversations.list(world.workspaceId, { contact: who.phone }, { limit: 5 })
    assert.deepEqual(
      data.map(({ contact }) => [contact.optedOut, contact.marketingOptedOut]),
      [[isOut, isOut]],
      JSON.stringify([byId, byPhone]),
    )
  }
})
