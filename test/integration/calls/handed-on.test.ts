import assert from 'node:assert/strict'
import { createCallSessions } from '../../../src/calls/store/call-sessions.ts'
import { closeRedis, connectRedis } from '../../../src/platform/redis/client.ts'
import { after, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { testRedis } from '../../support/redis.ts'
import { Cluster, connectUpdate, offerSdp, until } from './gateway.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase())
const server = await testRedis()
const redis = await connectRedis({ url: server.url, role: 'commands', onError: () => undefined })
after(async () => {
  await closeRedis(redis)
  await server.stop()
})
const sessions = createCallSessions(redis)

describe('a call that begins in a gateway which gives its actors up', () => {
  test('rings at once from another gateway, as the first one', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const cluster = new Cluster(sql, { sessions })
    const [leaving] = [cluster.node(), cluster.node()]
    leaving.directory.cutOff()
    await leaving.applyCallUpdate(connectUpdate(workspace))
    await until(() => cluster.direct.length > 0)
    const { call } = JSON.parse(Buffer.from(cluster.direct[0]?.body ?? []).toString())
    assert.equal(call.session.sdp, offerSdp)
    const rowOf = async () =>
      (
        await sql<{ state: string; error: object | null; kinds: string }[]>`
        select forward_state as state, last_forward_error as error, timeline::text as kinds
        from calls where workspace_id = ${workspace.workspaceId}`
      )[0]
    await until(async () => (await rowOf())?.state === 'OK')
    const row = await rowOf()
    assert.deepEqual([cluster.direct.length, row?.error], [1, null])
    assert.doesNotMatch(row?.kinds ?? '', /forward.repeated/)
    const [owner] = await sql<{ silence: boolean }[]>`
      select act_after > created_at as silence from calls where workspace_id = ${workspace.workspaceId}`
    assert.notEqual(owner?.silence, true, 'the other gateway had nobody to wait for')
  })
})
