// Lists that are read while rows are inserted before, among and after the existing ones. Pages show no row
// twice, and leave out no row that existed at the start.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createCallReader } from '../../../../src/calls/store/calls-read.store.ts'
import { createRecipientReader } from '../../../../src/campaigns/store/recipients-read.store.ts'
import type { Page, PageRequest } from '../../../../src/contract/page.ts'
import { createConversationReader } from '../../../../src/messaging/store/conversations-read.store.ts'
import { createMessageReader } from '../../../../src/messaging/store/messages-read.store.ts'
import {
  byActivity,
  byId,
  type ListKind,
  pageBody,
  pageRequest,
} from '../../../../src/platform/http/paging.ts'
import { type CampaignId, encodeId, type IdKind, idFloor, newId } from '../../../../src/shared/ids.ts'
import { call, message, number, type Thread, thread, workspace } from '../../../support/fixtures.ts'
import { test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'

const sql = testPool(await testDatabase())

/** A list in a new workspace. */
interface List {
  readonly kind: ListKind
  read(page: PageRequest): Promise<Page<{ readonly id: string }>>
  /** Adds a row at this time, an offset into the hour of all rows; returns its id as the list shows it. */
  add(atMs: number): Promise<string>
}

const HOUR_MS = 3_600_000
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS

/** A UUIDv7 of this time, so that the row sorts among the existing ones. */
const idAt = <Kind extends IdKind>(kind: Kind, atMs: number) =>
  (idFloor(startMs + atMs).slice(0, 13) + newId(kind).slice(13)) as ReturnType<typeof newId<Kind>>

const lists: Readonly<Record<string, () => Promise<List>>> = {
  async messages() {
    const party = await thread(sql, await workspace(sql))
    const { list } = createMessageReader(sql)
    return {
      kind: byId('messages'),
      read: (page) => list(party.workspaceId, {}, page),
      add: async (atMs) =>
        encodeId('message', await added('message', atMs, (id) => message(sql, party, { id }))),
    }
  },
  async calls() {
    const party = await thread(sql, await workspace(sql))
    const { list } = createCallReader(sql)
    return {
      kind: byId('calls'),
      read: (page) => list(party.workspaceId, {}, page),
      add: async (atMs) => encodeId('call', await added('call', atMs, (id) => addCall(party, id))),
    }
  },
  async conversations() {
    const workspaceId = await workspace(sql)
    const own = await number(sql, workspaceId)
    const { list } = createConversationReader(sql)
    return {
      kind: byActivity('conversations'),
      read: (page) => list(workspaceId, {}, page),
      async add(atMs) {
        const updatedAt = new Date(startMs + atMs)
        // In one transaction, so that the row appears in its final place: rows that move are not tested here.
        const conversationId = await sql.begin(async (transaction) => {
          const { conversationId: id } = await thread(transaction, workspaceId, own)
          await transaction`
            update conversations
            set updated_at = ${updatedAt}
            where id = ${id}`
          return id
        })
        return encodeId('conversation', conversationId)
      },
    }
  },
  async recipients() {
    const party = await thread(sql, await workspace(sql))
    const campaignId = await addCampaign(party)
    const { list } = createRecipientReader(sql)
    return {
      kind: byId('recipients'),
      read: (page) => list(party.workspaceId, campaignId, {}, page),
      add: async (atMs) =>
        encodeId('recipient', await added('recipient', atMs, (id) => addRecipient(party, campaignId, id))),
    }
  },
}

async function added<Kind extends IdKind>(
  kind: Kind,
  atMs: number,
  insert: (id: string) => Promise<unknown>,
) {
  const id = idAt(kind, atMs)
  await insert(id)
  return id
}

// The call is over, because a conversation has at most one live call.
const addCall = (party: Thread, id: string) =>
  call(sql, party, { id, wacid: `wacid.${id}`, status: 'MISSED' })

async function addCampaign({ workspaceId, numberId }: Thread): Promise<CampaignId> {
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, number_id, name, status, template_name, template_language)
    values (${id}, ${workspaceId}, ${numberId}, 'Spring', 'DRAFT', 'hello', 'en_US')`
  return id
}

let serial = 0

async function addRecipient({ workspaceId }: Thread, campaignId: CampaignId, id: string): Promise<void> {
  serial += 1
  await sql`
    insert into recipients (id, workspace_id, campaign_id, wa_id)
    values (${id}, ${workspaceId}, ${campaignId}, ${`1555${serial}`})`
}

const moment = fc.integer({ min: 0, max: 1_000 })
const story = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  // Few times for many rows, so that some share a millisecond.
  there: fc.array(moment, { minLength: 1, maxLength: 14 }),
  /** The rows that are inserted while each page is read. */
  coming: fc.array(fc.array(fc.oneof(moment, fc.integer({ min: -1_000, max: 2_000 })), { maxLength: 4 }), {
    maxLength: 12,
  }),
})

for (const [name, open] of Object.entries(lists))
  test(`pages of ${name} repeat nothing and lose nothing that was there, whatever comes in meanwhile`, () =>
    fc.assert(
      fc.asyncProperty(story, async ({ limit, there, coming }) => {
        const list = await open()
        const first = await Promise.all(there.map((atMs) => list.add(atMs)))
        const known = new Set(first)
        const seen: string[] = []
        let cursor: string | undefined
        const incoming = [...coming]
        do {
          const [page, ...more] = await Promise.all([
            list.read(pageRequest(list.kind, { limit, cursor })),
            ...(incoming.shift() ?? []).map((atMs) => list.add(atMs)),
          ])
          for (const id of more) known.add(id)
          seen.push(...page.data.map(({ id }) => id))
          assert.ok(page.data.length <= limit)
          cursor = pageBody(list.kind, page).nextCursor ?? undefined
        } while (cursor !== undefined)
        assert.equal(new Set(seen).size, seen.length, 'nothing is shown twice')
        assert.deepEqual(
          first.filter((id) => !seen.includes(id)),
          [],
          'what was there is shown',
        )
        assert.deepEqual(
          seen.filter((id) => !known.has(id)),
          [],
          'nothing else is shown',
        )
      }),
      { numRuns: 25 },
    ))
