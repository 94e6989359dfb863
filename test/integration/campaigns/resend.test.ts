// An operator sends again to recipients of whom nobody knows whether they have the message.
import assert from 'node:assert/strict'
import { createCampaignSweep } from '../../../src/campaigns/host/sweep-campaigns.ts'
import type { ClaimedRecipient } from '../../../src/campaigns/send-ports.ts'
import { assumeSent, resendUnknown, type UnknownStore } from '../../../src/campaigns/settle-unknown.ts'
import { createUnknownStore } from '../../../src/campaigns/store/campaign-unknown.store.ts'
import type { Author } from '../../../src/contract/administration.ts'
import { AppError } from '../../../src/contract/errors.ts'
import { templateRendering } from '../../../src/messaging/messaging.module.ts'
import type { Outgoing } from '../../../src/messaging/ports.ts'
import { sweepSends } from '../../../src/messaging/sweep-sends.ts'
import { createTransmitter } from '../../../src/messaging/transmit-message.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { type MessageId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { contact, list, reasons } from './people-world.ts'
import {
  accepted,
  again,
  campaign,
  claim,
  finish,
  life,
  messages,
  newCampaignForEachTest,
  refusal,
  sql,
  statuses,
  store,
  tenant,
} from './sending-world.ts'
import { addTemplate, offer } from './world.ts'

newCampaignForEachTest()

const nothing = () => undefined

const ports = {
  ...{ store: createUnknownStore(sql), rendering: templateRendering },
  ...{ dispatch: nothing, clock: systemClock },
}
const resend = (by?: Author) => resendUnknown(ports)(tenant.workspaceId, campaign.id, { all: true }, by)

const sweep = createCampaignSweep({
  ...{ life, changeStatuses: messages.changeStatuses, dispatch: nothing, clock: systemClock },
  scheduler: { wake: nothing, beginAt: nothing },
  begin: async () => undefined,
  log: { warn: nothing },
})

const category = (name: string) => sql`
  update templates set category = ${name} where workspace_id = ${tenant.workspaceId}`

async function claimedOne(waId = '15571110001'): Promise<ClaimedRecipient> {
  await list(waId)
  const [claimed] = await claim(1)
  return claimed ?? assert.fail('nobody was claimed')
}

async function unknownOne(waId?: string): Promise<ClaimedRecipient> {
  const claimed = await claimedOne(waId)
  await finish({ ...claimed, verdict: { type: 'unknown', error: refusal }, failure: null })
  return claimed
}

/** Of a completed campaign whose template has variables. */
async function unknownOffer(): Promise<ClaimedRecipient> {
  await addTemplate(sql, tenant, offer.name, 'Hi {{first_name}}, use {{code}}')
  await sql`update templates set status = 'APPROVED' where workspace_id = ${tenant.workspaceId}`
  await sql`
    update campaigns set template_name = ${offer.name}, variables = ${sql.json({ code: 'A1', first_name: 'you' })}
    where id = ${campaign.id}`
  const first = await unknownOne()
  await sql`update recipients set variables = ${sql.json({ first_name: 'Ines' })} where id = ${first.id}`
  assert.equal((await store.complete(campaign)).type, 'completed')
  return first
}

const messageRow = async ({ messageId }: Pick<ClaimedRecipient, 'messageId'>) => {
  const [row] = await sql<{ status: string; code: string | null; title: string | null }[]>`
    select status, error ->> 'code' as code, error ->> 'title' as title from messages
    where id = ${messageId}`
  return row ?? assert.fail()
}

describe('who sends again', () => {
  test('sends no marketing to who wants none', async () => {
    const id = await contact('15571110001')
    await unknownOne()
    await sql`update contacts set marketing_opt_out_at = now() where id = ${id}`
    await category('MARKETING')
    assert.deepEqual(await resend(), { count: 0 })
    await category('UTILITY')
    assert.deepEqual(await resend(), { count: 1 })
  })

  test('in a completed campaign sends what the template says, although the contents of the message are removed', async () => {
    const first = await unknownOffer()
    await sql`
      update messages set text = '', template = jsonb_set(template, '{variables}', '{}') where id = ${first.messageId}`
    assert.deepEqual(await resend(), { count: 1 })
    const [row] = await sql<{ text: string; variables: unknown; isLast: boolean }[]>`
      select m.text, m.template -> 'variables' as variables, v.last_message_id = m.id as is_last
      from messages m
      join recipients r on r.message_id = m.id
      join conversations v on v.id = m.conversation_id
      where r.id = ${first.id} and m.id <> ${first.messageId}`
    assert.deepEqual(
      { ...row },
      {
        text: 'Hi Ines, use A1',
        variables: { first_name: 'Ines', code: 'A1' },
        isLast: true,
      },
    )
  })

  test('in a completed campaign sends nothing to who opts out before it is sent', async () => {
    const first = await unknownOffer()
    assert.deepEqual(await resend(), { count: 1 })
    await sql`update messages set send_due_at = now() - interval '1 second' where recipient_id = ${first.id}`
    await sql`update contacts set opt_state = 'opted-out' where id = ${first.contactId}`
    const started: MessageId[] = []
    const transmitter = { start: ({ id }: Outgoing) => void started.push(id), freePlaces: () => 1 }
    await sweepSends({ store: messages, transmitter, dispatch: nothing, clock: systemClock })
    const [row] = await sql<{ messageId: MessageId; status: string; code: string }[]>`
      select message_id, status, error ->> 'code' as code from recipients where id = ${first.id}`
    assert.ok(row && !started.includes(row.messageId))
    assert.deepEqual([row.status, row.code], ['FAILED', 'RECIPIENT_OPTED_OUT'])
    assert.equal((await messageRow(row)).status, 'FAILED')
  })

  test('in a completed campaign is followed by the recipient, by whatever the sweep gets for it', async () => {
    const first = await unknownOffer()
    assert.deepEqual(await resend(), { count: 1 })
    assert.deepEqual(await statuses(), { QUEUED: 1 })
    await sql`update messages set send_due_at = now() - interval '1 second' where recipient_id = ${first.id}`
    const sender = createTransmitter({
      ...{ store: messages, clock: systemClock, spent: nothing, log: { info: nothing, warn: nothing } },
      async attemptSend(send) {
        const verdict = { type: 'unknown', error: refusal } as const
        await messages.finishSend({ ...send, verdict, failure: null })
        return verdict
      },
    })
    const start = (one: Outgoing) => (one.recipientId === first.id ? sender.start(one) : undefined)
    const transmitter = { start, freePlaces: () => 1_000 }
    await sweepSends({ store: messages, transmitter, dispatch: nothing, clock: systemClock })
    await sender.drain()
    assert.deepEqual(await statuses(), { UNKNOWN: 1 })
  })

  const unfit = [
    ['TEMPLATE_NOT_APPROVED', () => sql`status = 'PAUSED'`],
    [
      'TEMPLATE_VARIABLES_MISMATCH',
      () => sql`components = ${sql.json([{ type: 'BODY', text: 'Hi {{name}}' }])}`,
    ],
  ] as const
  for (const [code, change] of unfit)
    test(`is told in a completed campaign why nobody can be sent to: ${code}`, async () => {
      await unknownOffer()
      await sql`
        update templates set ${change()} where workspace_id = ${tenant.workspaceId} and name = ${offer.name}`
      await assert.rejects(resend(), (error) => error instanceof AppError && error.code === code)
      assert.deepEqual(await statuses(), { UNKNOWN: 1 })
      // One that is not over sends when its template can be sent again.
      await sql`update campaigns set status = 'PAUSED' where id = ${campaign.id}`
      assert.deepEqual(await resend(), { count: 1 })
      assert.deepEqual(await statuses(), { PENDING: 1 })
    })
})

describe('the first message of a recipient who is sent to again', () => {
  for (const status of ['RUNNING', 'COMPLETED'] as const)
    test(`in a campaign that is ${status} ends after 15 minutes, if nothing is heard of it`, async () => {
      const first = await unknownOne()
      if (status === 'COMPLETED') assert.equal((await store.complete(campaign)).type, 'completed')
      assert.deepEqual(await resend(), { count: 1 })
      const [row] = await sql<{ isLater: boolean; isSoon: boolean }[]>`
        select send_due_at > now() + interval '10 minutes' as is_later,
          send_due_at <= now() + interval '16 minutes' as is_soon
        from messages where id = ${first.messageId}`
      assert.deepEqual({ ...row }, { isLater: true, isSoon: true })
      await sql`update messages set send_due_at = now() - interval '1 second' where id = ${first.messageId}`
      const lost = await messages.lostSends(1_000)
      assert.ok(lost.some(({ id }) => id === first.messageId))
    })

  test('ends when its late answer says that nothing was sent, and the recipient goes on', async () => {
    const first = await unknownOne()
    await resend()
    await finish({ ...first, verdict: again(0), failure: null })
    await sweep()
    assert.deepEqual(
      { ...(await messageRow(first)) },
      {
        ...{ status: 'FAILED', code: 'SENT_AGAIN' },
        title: 'Not sent: an operator has sent to the recipient again',
      },
    )
    assert.deepEqual(await statuses(), { PENDING: 1 })
    const [second] = await claim(1)
    assert.notEqual(second?.messageId, first.messageId)
    await sweep()
    assert.deepEqual(await statuses(), { QUEUED: 1 })
  })

  test('ends where nothing of it was sent and the campaign was completed meanwhile', async () => {
    const first = await unknownOne()
    assert.equal((await store.complete(campaign)).type, 'completed')
    await finish({ ...first, verdict: again(0), failure: null })
    await sweep()
    assert.equal((await messageRow(first)).status, 'QUEUED', 'an operator decides')
    await resend()
    await sweep()
    assert.equal((await messageRow(first)).code, 'SENT_AGAIN')
  })
})

describe('a message that is not tried again', () => {
  test('says why its recipient was skipped', async () => {
    const first = await claimedOne('PT.1')
    await finish({ ...first, verdict: again(0), failure: null })
    await category('AUTHENTICATION')
    const { sendable } = await store.running(tenant.numberId)
    assert.deepEqual(await claim(1, sendable.find(({ id }) => id === campaign.id) ?? assert.fail()), [])
    assert.deepEqual(await reasons(), { 'PT.1': 'RECIPIENT_NEEDS_PHONE' })
    await sweep()
    const { code, title } = await messageRow(first)
    assert.deepEqual(
      [code, title],
      [
        'RECIPIENT_NEEDS_PHONE',
        'Not sent: the template goes to phone numbers only, and the person is known by a user id',
      ],
    )
  })

  test('is looked for among those that wait, and not among all that were given up before', async () => {
    const first = await claimedOne()
    await finish({ ...first, verdict: again(0), failure: null })
    // Other files have left some in this database.
    const { count: waiting } = await sql`
      select from messages
      where send_state = 'PENDING' and send_due_at is null and status = 'QUEUED' and campaign_id is not null`
    await sql`
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, campaign_id,
        send_state)
      -- Of many workspaces, so that no index by workspace is of use.
      select new_uuid(), new_uuid(), conversation_id, number_id, contact_id, direction, type, 'FAILED', campaign_id,
        send_state
      from messages
      cross join generate_series(1, ${3_000 + 20 * waiting}::integer)
      where id = ${first.messageId}`
    await sql`analyze messages`
    const swept = () => life.abandoned(500)
    const reads = await rowsRead(sql, swept, { table: 'messages', text: 'RECIPIENT_REMOVED' })
    assert.ok(reads.length === 1 && Math.max(...reads) < waiting + 100, `${reads.join(' ')} of ${waiting}`)
  })

  test('says that its recipient was removed', async () => {
    const first = await claimedOne()
    await finish({ ...first, verdict: again(0), failure: null })
    await sql`delete from recipients where id = ${first.id}`
    await sweep()
    assert.equal((await messageRow(first)).code, 'RECIPIENT_REMOVED')
  })
})

describe('a decision about recipients of whom nobody knows', () => {
  const decisions = [
    ['campaign.unknown_resent', resend],
    [
      'campaign.unknown_assumed_sent',
      (by: Author) => assumeSent(ports)(tenant.workspaceId, campaign.id, { all: true }, by),
    ],
  ] as const
  for (const [action, decide] of decisions)
    test(`is written together with its audit entry, or not at all: ${action}`, async () => {
      await unknownOne()
      const by = { workspaceId: tenant.workspaceId, operatorId: newId('operator'), ip: '127.0.0.1' }
      const state = async () => [
        ...(await sql`
          select r.status, r.message_id, m.status as message, m.send_state
          from recipients r
          join messages m on m.campaign_id = r.campaign_id
          where r.campaign_id = ${campaign.id}`),
      ]
      const before = await state()
      // There is no such operator, so the entry cannot be written.
      await assert.rejects(decide(by), /audit_operator_id_fkey/)
      assert.deepEqual(await state(), before)
      await sql`
        insert into operators (id, email, name, password_hash) values (${by.operatorId}, ${by.operatorId}, 'Ada', '')`
      assert.deepEqual(await decide(by), { count: 1 })
      const entries = await sql`select action, after from audit where subject_id = ${campaign.id}`
      assert.deepEqual([...entries], [{ action, after: { count: 1 } }])
      assert.deepEqual(await decide(by), { count: 0 })
      assert.equal((await sql`select from audit where subject_id = ${campaign.id}`).count, 1)
    })

  test('counts whom it settles, where the answer of another comes meanwhile', async () => {
    const answered = await unknownOne()
    await unknownOne('15571110002')
    const by = { workspaceId: tenant.workspaceId, operatorId: newId('operator'), ip: '127.0.0.1' }
    await sql`
      insert into operators (id, email, name, password_hash) values (${by.operatorId}, ${by.operatorId}, 'Ada', '')`
    const slow: UnknownStore = {
      ...ports.store,
      async unknown(...asked) {
        const found = await ports.store.unknown(...asked)
        await finish({ ...answered, verdict: accepted(), failure: null })
        return found
      },
    }
    const settled = assumeSent({ ...ports, store: slow })
    assert.deepEqual(await settled(tenant.workspaceId, campaign.id, { all: true }, by), { count: 1 })
    assert.deepEqual(await statuses(), { QUEUED: 1, SENT: 1 })
    const entries = await sql`select after from audit where subject_id = ${campaign.id}`
    assert.deepEqual([...entries], [{ after: { count: 1 } }])
  })
})
