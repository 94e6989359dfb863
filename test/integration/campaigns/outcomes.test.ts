// How the reported outcomes of a send, at any time and repeated, change its recipient.
import assert from 'node:assert/strict'
import { recipientMachine } from '../../../src/campaigns/recipient.machine.ts'
import type { ClaimedRecipient } from '../../../src/campaigns/send-ports.ts'
import { type RecipientStatus, recipientStatuses } from '../../../src/contract/records/campaign.ts'
import { newId } from '../../../src/shared/ids.ts'
import { canMove } from '../../../src/shared/machine.ts'
import { describe, test } from '../../support/harness.ts'
import {
  addRecipients,
  again,
  campaign,
  claim,
  finish,
  messages,
  newCampaignForEachTest,
  refusal,
  sql,
  statuses,
  store,
  tenant,
} from './sending-world.ts'

newCampaignForEachTest()

describe('an outcome', () => {
  test('that is written again, because the answer to its commit was lost, does not open a later try', async () => {
    await addRecipients(campaign.id, 1)
    const [first] = await claim(1)
    assert.ok(first)
    const outcome = { ...first, verdict: again(0, true), failure: null }
    await finish(outcome)
    const [second] = await claim(1)
    assert.deepEqual([second?.messageId, second?.attempt], [first.messageId, 2])
    await finish(outcome)
    assert.deepEqual(await claim(1), [])
    const [row] = await sql<
      [{ attempts: number }]
    >`select attempts from recipients where campaign_id = ${campaign.id}`
    assert.equal(row.attempts, 1)
  })

  test('that a failure overtook leaves nobody waiting when its worker is dead', async () => {
    await addRecipients(campaign.id, 1)
    const [claimed] = await claim(1)
    assert.ok(claimed)
    const event = { eventId: newId('event'), body: Buffer.from('{}') }
    await messages.changeStatuses([
      {
        ...{
          messageId: claimed.messageId,
          recipientId: claimed.id,
          providerMessageId: 'w2',
          status: 'FAILED',
        },
        ...{ at: new Date(), error: { code: '131026', title: 'No' }, ...event },
      },
    ])
    assert.equal((await store.complete(campaign)).type, 'completed')
  })

  test('that says nothing was sent, of a campaign that was completed meanwhile, is left to an operator', async () => {
    await addRecipients(campaign.id, 1)
    const [claimed] = await claim(1)
    assert.ok(claimed)
    await sql`update messages set send_due_at = now() - interval '1 second' where id = ${claimed.messageId}`
    await messages.lostSends(1_000)
    assert.equal((await store.complete(campaign)).type, 'completed')
    await finish({ ...claimed, verdict: again(0), failure: null })
    assert.deepEqual(await statuses(), { UNKNOWN: 1 })
  })
})

describe('a recipient', () => {
  test('moves as its table says, whatever is said of its message and in whatever order', async () => {
    const words = [
      'accepted',
      'held',
      'again',
      'failed',
      'unknown',
      'SENT',
      'DELIVERED',
      'READ',
      'FAILED',
      'lost',
    ] as const
    for (const first of words)
      for (const second of words) {
        const waId = `1558${String(words.indexOf(first)).padStart(3, '0')}${String(words.indexOf(second)).padStart(3, '0')}`
        await sql`
          insert into recipients (id, workspace_id, campaign_id, wa_id)
          values (${newId('recipient')}, ${tenant.workspaceId}, ${campaign.id}, ${waId})`
        const [claimed] = await claim(1)
        assert.ok(claimed)
        let before: RecipientStatus = 'QUEUED'
        for (const word of [first, second]) {
          await say(claimed, word)
          const [row] = await sql<
            [{ status: RecipientStatus }]
          >`select status from recipients where wa_id = ${waId}`
          const isFine = row.status === before || canMove(recipientMachine, before, row.status)
          assert.ok(isFine, `${before} to ${row.status} by ${first}, ${second}`)
          before = row.status
        }
        await sql`delete from recipients where wa_id = ${waId}`
      }
    assert.equal(recipientStatuses.length, Object.keys(recipientMachine).length)
  })

  async function say(claimed: ClaimedRecipient, word: string): Promise<void> {
    const { id, messageId, attempt } = claimed
    const failure = { eventId: newId('event'), body: Buffer.from('{}') }
    const end = (verdict: Parameters<typeof finish>[0]['verdict']) =>
      finish({ id, messageId, attempt, verdict, failure: verdict.type === 'failed' ? failure : null })
    switch (word) {
      case 'accepted':
        return void (await end({
          type: 'accepted',
          providerMessageId: `w${messageId}`,
          held: false,
          recipientPhone: null,
        }))
      case 'held':
        return void (await end({
          type: 'accepted',
          providerMessageId: `w${messageId}`,
          held: true,
          recipientPhone: null,
        }))
      case 'again':
        return void (await end(again(3_600_000)))
      case 'failed':
        return void (await end({ type: 'failed', error: refusal }))
      case 'unknown':
        return void (await end({ type: 'unknown', error: refusal }))
      case 'lost':
        await sql`update messages set send_due_at = now() - interval '1 second' where id = ${messageId} and send_state = 'SENDING'`
        return void (await messages.lostSends(100))
      default:
        await messages.changeStatuses([
          {
            ...{ messageId, recipientId: claimed.id, providerMessageId: `w${messageId}`, error: null },
            status: word as 'SENT',
            at: new Date(),
            ...{ eventId: newId('event'), body: Buffer.from('{}') },
          },
        ])
    }
  }
})
