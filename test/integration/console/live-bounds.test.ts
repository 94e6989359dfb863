import assert from 'node:assert/strict'
import { liveLimits } from '../../../src/console/live/live.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { refusedUpgrade, watchLive } from '../../support/live-client.ts'
import { cookieOf, openWorld, PASSWORD } from './console-world.ts'
import { watchedTenant } from './live-tenant.ts'

const world = await openWorld()
const { sql } = world
const tenant = () => watchedTenant(world)
const openSockets = () => world.live.openSockets()

describe('who may watch', () => {
  test('other sites are refused before anything else', async () => {
    const { ws, owner } = await tenant()
    const path = `/console/live?workspace=${ws}`
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ])
      assert.equal(
        await refusedUpgrade(world.origin, path, {
          ...(headers as Record<string, string>),
          cookie: owner.cookie,
        }),
        403,
      )
    const own = await watchLive(world.origin, ws, { cookie: owner.cookie, origin: world.origin })
    own.subscribe('calls')
    await own.until('the snapshot', () => own.frames.length === 1)
    own.socket.terminate()
  })

  test('nobody who is not signed in, and no stranger', async () => {
    const { ws } = await tenant()
    const stranger = await tenant()
    const codeFor = async (workspace: string, headers: Record<string, string>) =>
      (await watchLive(world.origin, workspace, headers)).closed()
    assert.equal(await codeFor(ws, {}), 4401)
    assert.equal(await codeFor(ws, { cookie: `switchboard_session=${'x'.repeat(43)}` }), 4401)
    assert.equal(await codeFor(ws, { cookie: stranger.owner.cookie }), 4403)
    assert.equal(await codeFor('wsp_nonsense', { cookie: stranger.owner.cookie }), 4403)
    assert.equal(
      await codeFor(encodeId('workspace', newId('workspace')), { cookie: stranger.owner.cookie }),
      4403,
    )
  })

  test('a session that ends takes its sockets with it, and those of others stay', async () => {
    const { watch, owner, ws } = await tenant()
    const [one, two] = [await watch(), await watch()]
    const neighbour = await tenant()
    const other = await neighbour.watch()
    await owner('DELETE', '/session')
    await world.clock.advance(liveLimits.recheckMs)
    assert.deepEqual([await one.closed(), await two.closed()], [4401, 4401])
    assert.equal(other.socket.readyState, other.socket.OPEN)
    other.socket.terminate()
    assert.equal(await (await watchLive(world.origin, ws, { cookie: owner.cookie })).closed(), 4401)
  })

  test('who is taken out of the workspace is shown the door', async () => {
    const { watch, owner } = await tenant()
    const client = await watch()
    await sql`delete from memberships where operator_id = ${owner.operatorId}`
    await world.clock.advance(liveLimits.recheckMs)
    assert.equal(await client.closed(), 4403)
  })

  test('a new password ends the sockets of every browser', async () => {
    const { watch, owner } = await tenant()
    const client = await watch()
    const changed = await owner('PUT', '/me/password', {
      password: PASSWORD,
      newPassword: 'another fine password',
    })
    assert.match(cookieOf(changed), /^switchboard_session=/)
    await world.clock.advance(liveLimits.recheckMs)
    assert.equal(await client.closed(), 4401)
  })
})

describe('bounds', () => {
  test('a session has so many sockets, and room again when one has gone', async () => {
    const { watch } = await tenant()
    const clients = await Promise.all(Array.from({ length: liveLimits.perSession }, watch))
    const one = clients[0] ?? assert.fail()
    assert.equal(await (await watch()).closed(), 1013)
    const before = openSockets()
    one.socket.close()
    await one.closed()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(openSockets(), before - 1)
    const again = await watch()
    again.subscribe('calls')
    await again.until('the snapshot', () => again.frames.length === 1)
    for (const client of [...clients, again]) client.socket.terminate()
  })

  test('what is no list of topics, and too much of it, closes the socket', async () => {
    const { watch } = await tenant()
    for (const text of [
      '{',
      '[]',
      '{"subscribe":"calls"}',
      '{"subscribe":["keys"]}',
      '{"subscribe":["campaign:x"]}',
    ]) {
      const client = await watch()
      client.socket.send(text)
      assert.equal(await client.closed(), 1008, text)
    }
    const long = await watch()
    long.socket.send(`{"subscribe":["${'x'.repeat(liveLimits.frameBytes)}"]}`)
    assert.notEqual(await long.closed(), 1000)
    const eager = await watch()
    for (let frame = 0; frame <= liveLimits.framesAtOnce; frame += 1) eager.subscribe('calls')
    assert.equal(await eager.closed(), 1008)
  })

  test('one who does not read gets the state anew when he reads again, and no gap', async () => {
    const { watch, workspaceId } = await tenant()
    const id = newId('campaign')
    const topic = `campaign:${encodeId('campaign', id)}`
    // Every frame carries these variables. Together they far exceed the buffers of the system.
    const variables = { text: 'x'.repeat(200_000) }
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language, variables)
      values (${id}, ${workspaceId}, '0', 'hello', 'en_US', ${sql.json(variables)})`
    const [quick, slow] = [await watch(), await watch()]
    for (const client of [quick, slow]) {
      client.subscribe(topic)
      await client.until('the snapshot', () => client.frames.length === 1)
    }
    slow.socket.pause()
    const rounds = 120
    for (let round = 1; round <= rounds; round += 1) {
      await sql`update campaigns set name = ${String(round)} where id = ${id}`
      await world.clock.advance(500)
      await quick.until('the change', () => quick.states[topic].campaign.name === String(round))
    }
    slow.socket.resume()
    await slow.until('the last state', () => slow.states[topic].campaign.name === String(rounds))
    const snapshots = slow.frames.filter(({ snapshot }) => snapshot !== undefined)
    assert.equal(snapshots.length, 2)
    assert.ok(slow.frames.length < quick.frames.length)
    assert.equal(quick.frames.filter(({ snapshot }) => snapshot !== undefined).length, 1)
    slow.frames.forEach((frame, index) => {
      if (frame.delta) assert.equal(frame.seq, (slow.frames[index - 1]?.seq ?? 0) + 1)
    })
    for (const client of [quick, slow]) client.socket.terminate()
  })
})
