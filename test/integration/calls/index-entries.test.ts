import assert from 'node:assert/strict'
import { stateOf } from '../../../src/calls/begin-call.ts'
import { end } from '../../../src/calls/call-step.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import { createCallReader } from '../../../src/calls/store/calls-read.store.ts'
import type { CallFilter } from '../../../src/contract/filters.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { begun, isBegun } from './begins.ts'

const database = await testDatabase()
const sql = testPool(database, 4)

/** Those that the row of the call is in now. Each change of an indexed column enters it into all of them again. */
async function indexesOf(id: string): Promise<string[]> {
  const indexes = await sql<{ name: string; predicate: string }[]>`
    select c.relname as name, coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') as predicate
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'calls'::regclass
    order by c.relname`
  const found = await Promise.all(
    indexes.map(async ({ name, predicate }) => {
      const rows = await sql`select from calls where id = ${id} and (${sql.unsafe(predicate)})`
      return rows.count === 1 ? [name] : []
    }),
  )
  return found.flat()
}

const { workspace, calls, results } = await begun(sql, 4)
const [ringing, over] = calls
assert.ok(ringing && over)
const { row, route, epoch } = isBegun(results[1])
const store = createCallsStore(sql)

describe('the indexes of calls', () => {
  test('a live call is in five, and one that is over in seven', async () => {
    const live = ['calls_contact', 'calls_live', 'calls_pkey', 'calls_wacid_key', 'calls_wake']
    assert.deepEqual(await indexesOf(ringing.ringing.row.id), live)
    const at = new Date()
    const ended = end({ at, replyTo: undefined, timing: {} as never }, stateOf(row, route), 'MISSED', {
      patch: { endedAt: at, wakeAt: null, forwardState: 'OK' },
    })
    const result = await store.change(over.ringing.row.id, epoch, ended.tx ?? [])
    assert.equal(result.type, 'committed')
    assert.deepEqual(await indexesOf(over.ringing.row.id), [
      ...['calls_contact', 'calls_log', 'calls_log_changes', 'calls_log_number', 'calls_log_state'],
      ...['calls_pkey', 'calls_wacid_key'],
    ])
  })

  test('each list shows what is live and what is over, in its order, and what matches nothing', async () => {
    const reader = createCallReader(sql)
    const idOf = (call: (typeof calls)[number]) => encodeId('call', call.ringing.row.id)
    const all = calls.map(idOf).toSorted().toReversed()
    const isOver = idOf(over)
    const live = all.filter((id) => id !== isOver)
    const { conversationId } = over.ringing.row
    const inConversation = all.filter((id) =>
      calls.some((call) => idOf(call) === id && call.ringing.row.conversationId === conversationId),
    )
    const lists: [CallFilter, readonly string[]][] = [
      ...([{}, { direction: 'INBOUND' }, { numberId: workspace.numberId }] as const).map(
        (filter): [CallFilter, readonly string[]] => [filter, all],
      ),
      [{ status: ['RINGING', 'MISSED'] }, all],
      [{ status: ['RINGING', 'COMPLETED'], numberId: [workspace.numberId] }, live],
      [{ live: true, direction: 'INBOUND' }, live],
      [{ live: false }, [isOver]],
      [{ status: 'MISSED', live: false }, [isOver]],
      [{ status: 'MISSED', live: true }, []],
      [{ status: 'RINGING', live: false }, []],
      [{ direction: 'OUTBOUND' }, []],
      [{ conversationId }, inConversation],
      [{ conversationId: [conversationId], live: false }, [isOver]],
      [{ contact: over.ringing.row.contactAddress }, inConversation],
    ]
    for (const [filter, expected] of lists) {
      const found: string[] = []
      for (let after: readonly string[] | undefined, isMore = true; isMore; ) {
        const page = await reader.list(workspace.workspaceId, filter, { limit: 2, after })
        found.push(...page.data.map(({ id }) => id))
        after = page.next
        isMore = after !== undefined
      }
      assert.deepEqual(found, expected, JSON.stringify(filter))
    }
    const since = new Date(Date.now() - 60_000)
    const changed = await reader.list(
      workspace.workspaceId,
      { updatedSince: since },
      { limit: 10, after: undefined },
    )
    assert.equal(changed.data.length, all.length)
    assert.equal(changed.data.at(-1)?.id, isOver)
  })
})
