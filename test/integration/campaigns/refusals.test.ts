// Refusals that repeat pause a campaign, counted over all workers; losses of access fail nobody.
import assert from 'node:assert/strict'
import { refusalsInARow } from '../../../src/campaigns/count-refusals.ts'
import type { ReportFailure } from '../../../src/campaigns/host/campaign-reports.ts'
import { createSelfPause } from '../../../src/campaigns/self-pause.ts'
import type { ClaimedRecipient, RunningCampaign } from '../../../src/campaigns/send-ports.ts'
import { pauseFailing } from '../../../src/campaigns/store/campaign-refusals.store.ts'
import type { ProviderError } from '../../../src/contract/provider.ts'
import { classOfCode } from '../../../src/contract/provider-errors.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import type { SendOutcome } from '../../../src/messaging/ports.ts'
import { judgeSend, sendPolicies } from '../../../src/messaging/send-policy.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import type { MessageId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import {
  testCampaignHooks,
  testConsent,
  testContacts,
  testMessageStore,
} from '../../support/message-store.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import {
  accepted,
  addRecipients,
  campaign,
  claim,
  messages,
  newCampaignForEachTest,
  record,
  resumed,
  sql,
  statuses,
  store,
  tenant,
} from './sending-world.ts'

newCampaignForEachTest()

const elsewhere = testMessageStore(sql)
const log = { info: () => undefined, warn: () => undefined }

const errorOf = (code: number, subcode?: string): ProviderError => ({
  ...{ code: String(code), title: 'Refused', details: 'Told to fail.', httpStatus: 400, retryAfterMs: null },
  ...{ class: classOfCode(code, subcode) ?? 'permanent', traceId: 'T1', ...(subcode && { subcode }) },
})

const refused = (code: number): SendOutcome['verdict'] => ({ type: 'failed', error: errorOf(code) })

/** Writes the outcomes of claimed recipients as a worker does. */
async function finish(
  claimed: readonly ClaimedRecipient[],
  verdict: SendOutcome['verdict'] | (() => SendOutcome['verdict']),
  { by = messages, run = campaign as Pick<RunningCampaign, 'id' | 'workspaceId' | 'epoch'> } = {},
): Promise<void> {
  const { id, workspaceId, epoch } = run
  await Promise.all(
    claimed.map(({ id: recipientId, messageId, attempt }) =>
      by.finishSend({
        ...{ recipientId, messageId, attempt, by: 'campaign', failure: null },
        campaign: { id, workspaceId, epoch },
        verdict: typeof verdict === 'function' ? verdict() : verdict,
      }),
    ),
  )
}

/** A gateway that applies statuses. Resolves when those of these messages are written. */
async function tell(
  campaignSendFailed: ReportFailure,
  claimed: readonly ClaimedRecipient[],
  code?: number,
): Promise<void> {
  const updates = createMessageUpdates({
    ...{ store: messages, contacts: testContacts(sql), consent: testConsent(sql), campaignSendFailed },
    ...{ dispatch: () => undefined, clock: systemClock, ignored: () => assert.fail('not known') },
  })
  const rows = await sql<{ providerMessageId: string }[]>`
    select provider_message_id from messages where id = any(${claimed.map(({ messageId }) => messageId)}::uuid[])`
  assert.equal(rows.length, claimed.length)
  const status = code === undefined ? 'DELIVERED' : 'FAILED'
  const error = code === undefined ? null : errorOf(code)
  for (const { providerMessageId } of rows)
    await updates.applyStatus({
      ...{ type: 'messageStatus', phoneNumberId: tenant.phoneNumberId, providerMessageId, status, error },
      ...{ at: new Date(), opaque: null, recipient: null },
    })
}

/** The same, and resolves when the failures are judged. */
async function reported(claimed: readonly ClaimedRecipient[], code?: number): Promise<void> {
  const failed: MessageId[] = []
  await tell((id) => failed.push(id), claimed, code)
  await pauseFailing(sql, failed)
}

describe('a refusal that repeats', () => {
  test('pauses the campaign, whatever its code, whichever process saw which part of it', async () => {
    await addRecipients(campaign.id, refusalsInARow)
    const claimed = await claim(refusalsInARow)
    await finish(claimed.slice(0, 12), refused(131026))
    await finish(claimed.slice(12, refusalsInARow - 1), refused(131026), { by: elsewhere })
    assert.equal((await record()).status, 'RUNNING')
    await finish(claimed.slice(refusalsInARow - 1, refusalsInARow), refused(131026))
    const { status, pauseReason, pauseError } = await record()
    assert.deepEqual([status, pauseReason], ['PAUSED', 'TOO_MANY_FAILURES'])
    assert.deepEqual(pauseError, {
      ...{ code: '131026', title: 'Refused', details: 'Told to fail.', traceId: 'T1' },
    })
  })

  test('is interrupted by an acceptance and by another code, in any process', async () => {
    await addRecipients(campaign.id, 60)
    const claimed = await claim(60)
    await finish(claimed.slice(0, 19), refused(131026))
    await finish(claimed.slice(19, 20), accepted, { by: elsewhere })
    await finish(claimed.slice(20, 39), refused(131026))
    await finish(claimed.slice(39, 40), refused(131009), { by: elsewhere })
    await finish(claimed.slice(40, 59), refused(131026))
    assert.equal((await record()).status, 'RUNNING')
    await finish(claimed.slice(59, 60), refused(131026))
    assert.equal((await record()).status, 'PAUSED')
  })

  test('counts once where its outcome is written twice, because the reply to a commit was lost', async () => {
    await addRecipients(campaign.id, 21)
    const claimed = await claim(21)
    const taken = accepted()
    await finish(claimed.slice(0, 1), taken)
    await finish(claimed.slice(1, 11), refused(131026))
    await finish(claimed.slice(1, 11), refused(131026), { by: elsewhere })
    // Beside others in one batch.
    await finish(claimed.slice(1, 16), refused(131026))
    assert.equal((await record()).status, 'RUNNING')
    await finish(claimed.slice(16, 20), refused(131026))
    await finish(claimed.slice(0, 1), taken)
    assert.equal((await record()).status, 'RUNNING')
    await finish(claimed.slice(20), refused(131026))
    assert.equal((await record()).status, 'PAUSED')
  })

  test('is found within a batch, and begins and ends within one', async () => {
    await addRecipients(campaign.id, 63)
    const claimed = await claim(63)
    const batch = (from: number, ...words: readonly (number | 'ok')[]) => {
      const verdicts = words.map((word) => (word === 'ok' ? accepted() : refused(word)))
      return finish(claimed.slice(from, from + words.length), () => verdicts.shift() ?? assert.fail())
    }
    const times = (count: number) => Array.from({ length: count }, () => 131026)
    await batch(0, ...times(10), 'ok', ...times(10))
    await batch(21, ...times(9), 131009)
    assert.equal((await record()).status, 'RUNNING')
    await batch(31, 131050, ...times(10), 131062, ...times(9))
    assert.equal((await record()).status, 'RUNNING')
    await batch(52, 'ok', ...times(1))
    assert.equal((await record()).status, 'RUNNING')
    const run = { ...campaign, epoch: campaign.epoch - 1 }
    await finish(claimed.slice(54, 55), refused(131026), { run })
    await finish(claimed.slice(55), refused(131026))
    assert.equal((await record()).status, 'RUNNING')
    await addRecipients(campaign.id, 22, 63)
    const further = await claim(22)
    const verdicts = [accepted(), ...times(20).map(refused), accepted()]
    await finish(further, () => verdicts.shift() ?? assert.fail())
    const { status, pauseError } = await record()
    assert.deepEqual([status, pauseError?.code, pauseError?.details], ['PAUSED', '131026', 'Told to fail.'])
  })

  test('counts where it is told only after the message was taken, in the order of the messages', async () => {
    await addRecipients(campaign.id, 50)
    const claimed = await claim(50)
    await finish(claimed, accepted)
    await reported(claimed.slice(20, 39), 131026)
    await reported(claimed.slice(0, 19), 131026)
    assert.equal((await record()).status, 'RUNNING', 'of one between them nothing is known')
    await reported(claimed.slice(19, 20))
    assert.equal((await record()).status, 'RUNNING', 'it has arrived')
    await reported(claimed.slice(39, 40), 131050)
    await reported(claimed.slice(41, 42), 131009)
    assert.equal((await record()).status, 'RUNNING')
    await reported(claimed.slice(40, 41), 131026)
    const { status, pauseReason, pauseError } = await record()
    assert.deepEqual([status, pauseReason, pauseError?.code], ['PAUSED', 'TOO_MANY_FAILURES', '131026'])
    // Of messages from before the pause.
    await resumed()
    await reported(claimed.slice(42, 50), 131026)
    assert.equal((await record()).status, 'RUNNING')
  })

  test('is told to the campaign by whoever applies the statuses', async () => {
    await addRecipients(campaign.id, refusalsInARow)
    const claimed = await claim(refusalsInARow)
    await finish(claimed, accepted)
    await tell(testCampaignHooks(sql).sendFailed, claimed, 131026)
    await eventually(async () => (await record()).status === 'PAUSED')
  })

  test('that is the choice of one person each time does not count', async () => {
    await addRecipients(campaign.id, 50)
    const claimed = await claim(50)
    await finish(claimed.slice(0, 25), refused(131050))
    await finish(claimed.slice(25), accepted)
    await reported(claimed.slice(25), 131062)
    assert.equal((await record()).status, 'RUNNING')
  })

  test('pauses a campaign that was resumed only after as many further refusals', async () => {
    await addRecipients(campaign.id, 80)
    const claimed = await claim(40)
    await finish(claimed.slice(0, 20), refused(100))
    assert.equal((await record()).status, 'PAUSED')
    const again = await resumed()
    assert.equal((await record()).pauseError, null)
    // Requests from before the pause end only now.
    await finish(claimed.slice(20, 40), refused(100))
    assert.equal((await record()).status, 'RUNNING')
    const further = await claim(20, again)
    await finish(further.slice(0, 19), refused(100), { run: again })
    assert.equal((await record()).status, 'RUNNING')
    await finish(further.slice(19), refused(100), { run: again })
    assert.equal((await record()).status, 'PAUSED')
  })

  test('is looked for among the messages nearby, and not among all that were sent before a pause', async () => {
    await addRecipients(campaign.id, 3)
    const claimed = await claim(3)
    await sql`
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, campaign_id, created_at)
      select uuid_floor(now() - interval '1 day' + n * interval '1 second'), workspace_id, conversation_id, number_id, contact_id,
        direction, type, 'DELIVERED', campaign_id, now() - interval '1 day' + n * interval '1 second'
      from messages
      cross join generate_series(1, 3000) n
      where id = ${claimed[0]?.messageId ?? assert.fail()}`
    await sql`update campaigns set paused_at = now() - interval '1 hour' where id = ${campaign.id}`
    const failed = claimed.map(({ messageId }) => messageId)
    const judged = () => pauseFailing(sql, failed)
    const reads = await rowsRead(sql, judged, { table: 'messages', text: 'TOO_MANY_FAILURES' })
    assert.ok(reads.length === 1 && Math.max(...reads) <= 1_000, reads.join(' '))
  })

  test('pauses the campaign at its next turn where the process died before it could', async () => {
    const { id, workspaceId, epoch } = campaign
    const tripped = { code: '131026', title: 'Refused' }
    await sql`
      insert into campaign_refusals (campaign_id, workspace_id, epoch, code, in_a_row, tripped)
      values (${id}, ${workspaceId}, ${epoch}, '131026', 20, ${sql.json(tripped)})`
    const { sendable, stuck } = await store.running(tenant.numberId)
    assert.deepEqual(sendable, [])
    assert.deepEqual(stuck, [{ id, workspaceId, epoch, reason: 'TOO_MANY_FAILURES', error: tripped }])
  })
})

test('a loss of access fails nobody: the campaign pauses with its error, and its recipients wait', async () => {
  const losses = [[100, '33'], [803], [33], [3], [10], [200], [131005]] as const
  await addRecipients(campaign.id, losses.length * 3)
  const self = createSelfPause({ store, clock: systemClock, log })
  let run: RunningCampaign = campaign
  for (const [code, subcode] of losses) {
    const claimed = await claim(3, run)
    assert.equal(claimed.length, 3)
    const verdict = judgeSend({ type: 'refused', error: errorOf(code, subcode) }, sendPolicies.campaign, 0)
    await self(run, verdict)
    await finish(claimed, verdict, { run })
    const { status, pauseError } = await record()
    assert.deepEqual([status, pauseError?.code, pauseError?.subcode], ['PAUSED', String(code), subcode])
    assert.deepEqual(await statuses(), { PENDING: losses.length * 3 })
    run = await resumed()
  }
})
