import assert from 'node:assert/strict'
import { encodeId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import type { LiveClient } from '../../support/live-client.ts'
import { addEndpoint, emitEvent } from '../../support/rows.ts'
import { openWorld } from './console-world.ts'
import { watchedTenant } from './live-tenant.ts'

const world = await openWorld()
const { sql } = world

const tenant = () => watchedTenant(world)

const shown = (client: LiveClient, topic: string): string[] =>
  client.states[topic]?.items.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)

describe('live updates', () => {
  test('begin with a snapshot, and go on with what has changed, one number after the other', async () => {
    const { watch, addCall, ws, owner } = await tenant()
    const first = await addCall()
    const client = await watch()
    client.subscribe('calls')
    await client.until('the snapshot', () => client.frames.length === 1)
    assert.deepEqual(shown(client, 'calls'), [`${encodeId('call', first)} RINGING`])
    const second = await addCall()
    await world.clock.advance(500)
    await client.until('the new call', () => client.frames.length === 2)
    await sql`update calls set status = 'COMPLETED', ended_at = now() where id = ${first}`
    await world.clock.advance(500)
    await client.until('the end of the first', () => client.frames.length === 3)
    // Nothing changes, so no frame follows.
    await world.clock.advance(2_000)
    const [snapshot, ...deltas] = client.frames
    assert.deepEqual([snapshot?.topic, snapshot?.seq], ['calls', 0])
    assert.deepEqual(
      deltas.map(({ seq, delta }) => [seq, delta.items.upsert.length, delta.items.remove]),
      [
        [1, 1, []],
        [2, 1, []],
      ],
    )
    assert.deepEqual(shown(client, 'calls'), [
      `${encodeId('call', second)} RINGING`,
      `${encodeId('call', first)} COMPLETED`,
    ])
    // A record has the same form as in the list.
    const listed = (await owner('GET', `/workspaces/${ws}/calls`)).body.data
    assert.deepEqual(client.states['calls'].items, listed)
    client.socket.terminate()
  })

  test('keep the calls that live and the last twenty, and take away the others', async () => {
    const { watch, addCall } = await tenant()
    const oldest = await addCall()
    for (let more = 0; more < 20; more += 1) await addCall('MISSED')
    const client = await watch()
    client.subscribe('calls')
    await client.until('the snapshot', () => client.frames.length === 1)
    assert.equal(client.states['calls'].items.length, 21)
    await sql`update calls set status = 'MISSED' where id = ${oldest}`
    await world.clock.advance(500)
    await client.until('the delta', () => client.frames.length === 2)
    assert.deepEqual(client.frames[1]?.delta.items, { upsert: [], remove: [encodeId('call', oldest)] })
    client.socket.terminate()
  })

  test('a list of topics takes the place of the former, and gives new snapshots', async () => {
    const { watch, addCall, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    const client = await watch()
    client.subscribe('calls', 'overview', 'calls')
    await client.until('two snapshots', () => client.frames.length === 2)
    client.subscribe('overview', 'deliveries')
    await client.until('two more', () => client.frames.length === 4)
    assert.deepEqual(client.frames.map(({ topic, snapshot }) => [topic, snapshot !== undefined]).sort(), [
      ['calls', true],
      ['deliveries', true],
      ['overview', true],
      ['overview', true],
    ])
    await addCall()
    await emitEvent(sql, workspaceId)
    await world.clock.advance(2_000)
    await client.until('what is watched', () => client.frames.length === 6)
    const later = client.frames.slice(4)
    assert.deepEqual(later.map(({ topic }) => topic).sort(), ['deliveries', 'overview'])
    assert.equal(client.states['overview'].calls.live, 1)
    assert.equal(client.states['overview'].deliveries.pending, 1)
    assert.equal(client.states['deliveries'].items[0].state, 'PENDING')
    client.socket.terminate()
  })

  test('of a campaign show its record, of another workspace’s nothing', async () => {
    const mine = await tenant()
    const theirs = await tenant()
    const campaign = async (workspaceId: WorkspaceId) => {
      const id = newId('campaign')
      await sql`
        insert into campaigns (id, workspace_id, name, template_name, template_language)
        values (${id}, ${workspaceId}, 'Spring', 'hello', 'en_US')`
      return id
    }
    const [own, foreign] = [await campaign(mine.workspaceId), await campaign(theirs.workspaceId)]
    const [ownTopic, foreignTopic] = [own, foreign].map((id) => `campaign:${encodeId('campaign', id)}`)
    const client = await mine.watch()
    client.subscribe(ownTopic ?? '', foreignTopic ?? '')
    await client.until('two snapshots', () => client.frames.length === 2)
    assert.equal(client.states[ownTopic ?? ''].campaign.status, 'DRAFT')
    assert.deepEqual(client.states[foreignTopic ?? ''], { campaign: null })
    await sql`update campaigns set status = 'RUNNING' where id in (${own}, ${foreign})`
    await world.clock.advance(500)
    await client.until('the change', () => client.states[ownTopic ?? ''].campaign.status === 'RUNNING')
    assert.equal(client.frames.length, 3)
    client.socket.terminate()
  })

  test('one who comes later, and one who has watched, come to the same state', async () => {
    const { watch, addCall } = await tenant()
    const [early] = [await watch()]
    early.subscribe('calls')
    await early.until('the snapshot', () => early.frames.length === 1)
    await addCall()
    await world.clock.advance(500)
    await early.until('the call', () => early.frames.length === 2)
    const late = await watch()
    late.subscribe('calls')
    await late.until('the snapshot', () => late.frames.length === 1)
    assert.deepEqual(late.frames[0]?.seq, 1)
    await addCall()
    await world.clock.advance(500)
    for (const client of [early, late]) await client.until('the next', () => client.frames.at(-1)?.seq === 2)
    assert.deepEqual(late.states, early.states)
    for (const client of [early, late]) client.socket.terminate()
  })

  test('what nobody watches is not read', async () => {
    const { watch, workspaceId } = await tenant()
    const { calls } = world.services.reads
    let reads = 0
    const list: typeof calls.list = (of, ...rest) => {
      if (of === workspaceId) reads += 1
      return calls.list(of, ...rest)
    }
    Object.assign(world.services.reads, { calls: { ...calls, list } })
    const client = await watch()
    client.subscribe('calls')
    await client.until('the snapshot', () => client.frames.length === 1)
    assert.equal(reads, 2)
    client.socket.close()
    await client.closed()
    await world.clock.advance(5_000)
    assert.equal(reads, 2)
    Object.assign(world.services.reads, { calls })
  })

  test('a topic that cannot be read is marked with the time of what is shown, until it can be again', async () => {
    const { watch, addCall } = await tenant()
    const client = await watch()
    client.subscribe('calls')
    await client.until('the snapshot', () => client.frames.length === 1)
    const { calls } = world.services.reads
    const readAt = new Date(world.clock.now()).toISOString()
    Object.assign(world.services.reads, {
      calls: { ...calls, list: () => Promise.reject(new Error('the database is away')) },
    })
    await world.clock.advance(500)
    await client.until('the mark', () => client.staleness.length === 1)
    assert.deepEqual(client.staleness[0], { topic: 'calls', stale: { asOf: readAt } })
    await world.clock.advance(1_000)
    const late = await watch()
    late.subscribe('calls')
    await late.until(
      'the mark and what was known',
      () => late.staleness.length === 1 && late.frames.length === 1,
    )
    Object.assign(world.services.reads, { calls })
    await addCall()
    await world.clock.advance(500)
    for (const one of [client, late])
      await one.until('that it is read again', () => one.staleness.at(-1)?.stale === null)
    await client.until('the call', () => client.states['calls'].items.length === 1)
    assert.equal(client.staleness.length, 2, 'said once, not with each failure')
    for (const one of [client, late]) one.socket.terminate()
  })

  test('the gateway says every few seconds that it is there', async () => {
    const { watch } = await tenant()
    const client = await watch()
    client.subscribe('calls')
    await client.until('the snapshot', () => client.frames.length === 1)
    await world.clock.advance(5_000)
    await client.until('a heartbeat', () => client.heartbeats() === 1)
    assert.equal(client.frames.length, 1)
    client.socket.terminate()
  })
})
