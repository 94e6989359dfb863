// After calls of every kind, none of their SDP may remain: not in Postgres, Redis, logs or memory.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownFolder } from '../support/embedded.ts'
import { after, before } from '../support/harness.ts'
import { decline, miss, place, ring, ringInVain, ringing, talk } from './call-steps.ts'
import { type Json, ok, refused } from './clients.ts'
import { keysWith, logsWith, tablesWith } from './leaks.ts'
import { eventually, openScene, type Scene, stepsOf } from './scene.ts'
import { type Session, session } from './sdp.ts'

const heaps = mkdtempSync(join(ownFolder(), 'heaps-'))

// Raises the string limit: the SDP is at the end of a body, which a heap snapshot cuts by default.
const heapOnSignal = `
  import v8 from 'node:v8'
  v8.setFlagsFromString('--heap-snapshot-string-limit=65536')
  process.on('SIGUSR2', () => v8.writeHeapSnapshot(${JSON.stringify(heaps)} + '/' + process.pid + '.heapsnapshot'))`

let scene: Scene
before(async () => {
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(heapOnSignal)}`
  scene = await openScene({ gateways: 2, env: { LOG_LEVEL: 'trace', NODE_OPTIONS } })
  const { stack, socketEndpoint } = scene
  await stack.assignNumber(stack.numbers[0], { endpointId: socketEndpoint.id, forwardCalls: true })
})
after(() => scene?.close())

const step = stepsOf(() => scene.stack)

/** SDP that this test made and that may have reached no other process. */
const posted: string[] = []
function own(sdpType: Session['sdpType']): Session {
  const made = session(sdpType)
  posted.push(made.sdp)
  return made
}

/** The ICE password: random, so it identifies the SDP. */
const secretOf = (sdp: string): string =>
  /a=ice-pwd:(\S+)/.exec(sdp)?.[1] ?? assert.fail(`no password in ${sdp}`)

/** The ICE passwords of all session descriptions that were sent by any side. */
async function secrets(): Promise<string[]> {
  const { data } = await ok(scene.stack.sim.get('/requests?limit=10000'))
  const asked = data.flatMap(({ body }: Json) => (body?.session ? [body.session.sdp] : []))
  const told = [scene.https, scene.socket].flatMap(({ inbox }) =>
    inbox.all(({ call }) => call?.session).map(({ body }) => body.call.session.sdp),
  )
  return [...new Set<string>([...asked, ...told, ...posted].map(secretOf))]
}

async function found(secret: string): Promise<Record<string, readonly string[]>> {
  const { sql, redis } = scene.stack
  return {
    tables: await tablesWith(sql, secret),
    keys: await keysWith(redis.url, secret),
    logs: logsWith(scene.stack.logFiles(), secret),
  }
}

/** Heap snapshots with all strings that the gateways hold. A gateway stands still while it writes one. */
async function memories(): Promise<string[]> {
  for (const { process } of scene.stack.gateways) process.signal('SIGUSR2')
  const read = () => readdirSync(heaps).map((name) => readFileSync(join(heaps, name), 'latin1'))
  const isWhole = (text: string) => text.trimEnd().endsWith('}')
  const areThere = async () => read().filter(isWhole).length === scene.stack.gateways.length
  await eventually('the snapshots', areThere)
  return read()
}

step('while a call rings, its offer is under one key of Redis, and nowhere that lasts longer', async () => {
  const wacid = await ring(scene, '15557000501')
  const { id, session: offer } = await ringing(scene, wacid, '15557000501')
  const secret = secretOf(offer.sdp)
  const { tables, keys, logs } = await found(secret)
  assert.deepEqual([tables, logs, keys?.length], [[], [], 1])
  assert.match(keys?.[0] ?? '', /^gw:call:/)
  // Control: the same search does find an id, which these places may contain.
  assert.ok((await tablesWith(scene.stack.sql, wacid)).includes('calls'))
  const [row] = await scene.stack.sql`select id from calls where wacid = ${wacid}`
  const isLogged = async () => logsWith(scene.stack.logFiles(), row?.['id']).length > 0
  await eventually('it is in a log', isLogged)
  await ok(scene.stack.api.post(`/calls/${id}/action`, { action: 'DECLINE' }))
})

step('calls are answered, declined, missed, forwarded in vain and placed', async () => {
  await talk(scene)
  await Promise.all([decline(scene), miss(scene)])
  await place(scene)
  await ringInVain(scene)
})

step(
  'an answer is posted that is none, one that comes second, and one that the caller does not wait for',
  async () => {
    const { api, sim } = scene.stack
    const wacid = await ring(scene, '15557000502')
    const { id } = await ringing(scene, wacid, '15557000502')
    const answering = (given: Session) => api.post(`/calls/${id}/answer`, { session: given })
    const broken = own('answer')
    const bad = { ...broken, sdp: broken.sdp.replace('m=audio', 'm=video') }
    assert.equal(await refused(answering(bad), 422), 'INVALID_SDP')
    await ok(api.post(`/calls/${id}/action`, { action: 'PRE_ACCEPT', session: own('answer') }))
    assert.equal(await refused(answering(own('answer')), 409), 'CALL_ALREADY_ANSWERED')
    await ok(sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))
    await eventually('it is missed', async () => (await ok(api.get(`/calls/${id}`))).status === 'MISSED')
    assert.equal(await refused(answering(own('answer')), 409), 'CALL_ENDED')
  },
)

step('a placed call is declined, and its answer was of no use to anybody', async () => {
  const { api } = scene.stack
  const { conversationId } = await ok(
    api.post('/messages/chat', { to: '+15557000024', template: { name: 'hello_world', language: 'en_US' } }),
    202,
  )
  const { id } = await ok(api.post(`/conversations/${conversationId}/call`, { session: own('offer') }), 202)
  await eventually('it is declined', async () => (await ok(api.get(`/calls/${id}`))).status === 'REJECTED')
})

step('after all of it no session description is anywhere', async () => {
  const all = await secrets()
  assert.ok(all.length >= 12, `only ${all.length} session descriptions were seen`)
  const live = await ok(scene.stack.api.get('/calls?live=true'))
  assert.deepEqual(live.data, [])
  // The last call to end may still be on its way out of Redis.
  const { redis } = scene.stack
  const keysOf = async () => (await Promise.all(all.map((secret) => keysWith(redis.url, secret)))).flat()
  await eventually('Redis has forgotten', async () => (await keysOf()).length === 0)
  const places = await Promise.all(all.map(found))
  for (const place of places) assert.deepEqual(place, { tables: [], keys: [], logs: [] })
})

step('nor in memory, but for that of a call which rings just now', async () => {
  const all = await secrets()
  const wacid = await ring(scene, '15557000503')
  const { session: offer } = await ringing(scene, wacid, '15557000503')
  const texts = await memories()
  assert.ok(texts.some((text) => text.includes(secretOf(offer.sdp))))
  for (const [index, text] of texts.entries())
    assert.deepEqual(
      all.filter((secret) => text.includes(secret)),
      [],
      `in the memory of gateway ${index}`,
    )
})
