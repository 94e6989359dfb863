// Blocks that the provider reports only in the status of a message that it had taken.
import assert from 'node:assert/strict'
import type { ClaimedRecipient } from '../../../src/campaigns/send-ports.ts'
import { pauseByMessages } from '../../../src/campaigns/store/campaign-sends.store.ts'
import type { SendOutcome } from '../../../src/messaging/ports.ts'
import { describe, test } from '../../support/harness.ts'
import { testCampaignHooks } from '../../support/message-store.ts'
import { addTenant } from '../../support/rows.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import {
  accepted,
  addRecipients,
  again,
  campaign,
  claim,
  finish,
  newCampaignForEachTest,
  record,
  resumed,
  runningCampaign,
  sql,
  store,
} from './sending-world.ts'

newCampaignForEachTest()

const billing = { reason: 'BILLING', scope: 'workspace' } as const

const told = ({ messageId }: ClaimedRecipient) => pauseByMessages(sql, [{ messageId, pause: billing }])

const ends = (verdict: SendOutcome['verdict'], ...claimed: readonly ClaimedRecipient[]) =>
  Promise.all(claimed.map((each) => finish({ ...each, verdict, failure: null })))

describe('a block that is told late', () => {
  test('pauses nothing where the campaign was resumed after the message was sent', async () => {
    await addRecipients(campaign.id, 4)
    const [first, second, underWay, retried] = await claim(4)
    assert.ok(first && second && underWay && retried)
    await ends(accepted(), first)
    await ends(accepted(), second)
    await ends(again(0), retried)
    const other = await runningCampaign()
    const [paused] = await told(first)
    assert.deepEqual(paused?.campaignIds.toSorted(), [campaign.id, other.id].toSorted())
    await ends(accepted(), underWay)
    const run = await resumed()
    await sql`update campaigns set status = 'RUNNING' where id = ${other.id}`
    // In the status of another message, in that of one that was under way at the pause, and once more.
    for (const old of [second, underWay, first]) assert.deepEqual(await told(old), [])
    // In the answer to a request from before the pause.
    assert.deepEqual(await store.pause(campaign, billing), [])
    assert.deepEqual([(await record()).status, (await record(other)).status], ['RUNNING', 'RUNNING'])
    const [repeated] = await claim(1, run)
    assert.ok(repeated?.messageId === retried.messageId)
    await ends(accepted(), repeated)
    assert.equal((await told(repeated))[0]?.campaignIds.length, 2)
  })

  test('pauses the campaign of each workspace where it is told of several at once', async () => {
    const neighbour = await addTenant(sql)
    const others = await runningCampaign(neighbour)
    await addRecipients(campaign.id, 1)
    await addRecipients(others.id, 1, 0, neighbour)
    const { sendFailed } = testCampaignHooks(sql)
    for (const { messageId } of [...(await claim(1)), ...(await claim(1, others))])
      sendFailed(messageId, { code: '131042', title: 'Refused' })
    for (const each of [campaign, others])
      await eventually(async () => (await record(each)).pauseReason === 'BILLING')
  })
})
