// A campaign to numbers and user ids mixed: from the upload over the public API to the requests that the provider gets,
// and the report.
import assert from 'node:assert/strict'
import { createCampaignSendStore } from '../../../src/campaigns/store/campaign-sends.store.ts'
import { createAttemptSend } from '../../../src/messaging/attempt-send.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { cellsOf } from '../../support/csv.ts'
import { describe, test } from '../../support/harness.ts'
import { testAccounts, testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { account, json, withRig } from '../provider/outgoing/rig.ts'
import { assertCounts, draft, node, putInto, tenantWithKey, uuidOf } from './world.ts'

const sql = testPool(await testDatabase(), 8)
const as = await node(sql)
const store = createCampaignSendStore(sql, testAccounts)
const messages = testMessageStore(sql)

interface Asked {
  readonly to?: string
  readonly recipient?: string
  readonly biz_opaque_callback_data: string
}

type Answer = ReturnType<typeof json>

const refusals: Readonly<Record<string, Answer>> = {
  'PT.62': json(400, { error: { message: 'No', code: 131062, type: 'OAuthException' } }),
  'PT.50': json(400, { error: { message: 'No', code: 131050, type: 'OAuthException' } }),
}

/** As the provider: an id in `recipient`, a number in `to`. */
const answer: Answer = (request, response) => {
  const { to, recipient, biz_opaque_callback_data: opaque } = request.body as Asked
  const refusal = refusals[recipient ?? '']
  if (refusal) return refusal(request, response)
  const who = recipient === undefined ? { input: to, wa_id: to } : { input: recipient, user_id: recipient }
  return json(200, { contacts: [who], messages: [{ id: `wamid.${opaque}` }] })(request, response)
}

describe('a campaign to numbers and user ids', () => {
  test('asks for each person once, by number or by id, and fails only whom the provider refuses', () =>
    withRig(answer, async ({ api, seen }) => {
      const tenant = await tenantWithKey(sql)
      const send = as(tenant.key)
      const contacts = testContacts(sql)
      await contacts.resolveParties({
        phoneNumberId: tenant.phoneNumberId,
        person: { phone: '15557000001', userId: 'PT.1', parentUserId: null, username: null, name: 'Ines' },
      })
      const id = await draft(send)
      const csv =
        'phone,user_id\n+15557000001,\n,PT.1\n,PT.2\nPT.62,\n,PT.50\n+15557000003,PT.3\n,+15557000004\n12,\n'
      const upload = await send('POST', `/campaigns/${id}/recipients`, csv, { 'content-type': 'text/csv' })
      assert.deepEqual([upload.json.added, upload.json.invalidCount], [7, 1], upload.text)
      await putInto(sql, id, 'RUNNING')

      const attemptSend = createAttemptSend({
        ...{ finishSend: messages.finishSend, consent: testConsent(sql), provider: api, clock: systemClock },
        ...{ dispatch: () => undefined, learn: contacts.learn, templates: { providerComponents: () => [] } },
        log: { warn: (fields: unknown) => assert.fail(JSON.stringify(fields)) },
      })
      const { sendable } = await store.running(tenant.numberId)
      const campaign = sendable.find((one) => one.id === uuidOf(id)) ?? assert.fail()
      const batch = await store.claim(campaign, 10, () => ({
        ...({ type: 'send', isRepeated: false, text: 'Hello', variables: {} } as const),
        messageId: newId('message'),
      }))
      for (const one of batch?.claimed ?? [])
        await attemptSend({
          ...one,
          ...{ account: { ...account, workspaceId: tenant.workspaceId }, template: campaign.template },
          ...{ definition: campaign.definition, recipientId: one.id, to: one.address, by: 'campaign' },
        })

      const asked = seen.map(({ body }) => body as Asked)
      assert.deepEqual(
        asked.map(({ to, recipient }) => [to?.replace('+', ''), recipient]),
        [
          ['15557000001', undefined],
          [undefined, 'PT.2'],
          [undefined, 'PT.62'],
          [undefined, 'PT.50'],
          ['15557000003', undefined],
          ['15557000004', undefined],
        ],
      )
      await assertCounts(sql, send, id)
      const report = await send('GET', `/campaigns/${id}/recipients`, undefined, { accept: 'text/csv' })
      const { rows } = await cellsOf(report.text)
      assert.deepEqual(
        rows.map((row) => [row[1], row.at(-1), row[2], row[4] || row[6]]),
        [
          ['15557000001', '', 'QUEUED', ''],
          ['', 'PT.1', 'SKIPPED', 'DUPLICATE_PERSON'],
          ['', 'PT.2', 'QUEUED', ''],
          ['', 'PT.62', 'FAILED', '131062'],
          ['', 'PT.50', 'FAILED', '131050'],
          ['15557000003', '', 'QUEUED', ''],
          ['15557000004', '', 'QUEUED', ''],
        ],
      )
      for (const to of ['PT.2', '%2B15557000003']) {
        const { json: page } = await send('GET', `/campaigns/${id}/recipients?to=${to}`)
        assert.equal(page.data.length, 1, to)
      }
      const { json: found } = await send('GET', '/conversations?contact=PT.50')
      assert.equal(found.data[0]?.contact.marketingOptedOut, true)
    }))

  test('takes people off its list by number and by id', async () => {
    const tenant = await tenantWithKey(sql)
    const send = as(tenant.key)
    const id = await draft(send)
    const recipients = ['+15557000001', 'PT.1', 'PT.2'].map((to) => ({ to }))
    await send('POST', `/campaigns/${id}/recipients`, { recipients })
    const removal = await send('DELETE', `/campaigns/${id}/recipients`, { to: ['PT.1', '+15557000001'] })
    assert.deepEqual(removal.json, { removed: 2 })
    const { json: left } = await send('GET', `/campaigns/${id}/recipients`)
    assert.deepEqual(
      left.data.map(({ to, userId }: { to: string; userId: string }) => [to, userId]),
      [['', 'PT.2']],
    )
  })
})
