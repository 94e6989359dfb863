// What others write to the inbox of a gateway, or send to its internal port, with and without the secret.
import assert from 'node:assert/strict'
import { callActor } from '../../../../src/calls/call.actor.ts'
import type { CallMessage } from '../../../../src/calls/call.messages.ts'
import { endpointActor } from '../../../../src/delivery/endpoint.actor.ts'
import type { EndpointMessage } from '../../../../src/delivery/endpoint.messages.ts'
import type { ActorKind } from '../../../../src/platform/actors/actor.ts'
import { ActorDirectory } from '../../../../src/platform/actors/directory.ts'
import { authHeader, type RpcEnvelope, rpcPath, seal } from '../../../../src/platform/cluster/rpc-envelope.ts'
import { keys } from '../../../../src/platform/redis/keys.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { after, afterEach, before, beforeEach, describe, test } from '../../../support/harness.ts'
import { type TestRedis, testRedis } from '../../../support/redis.ts'
import { LedgerHost, ledgerActor } from '../../../unit/platform/actors/ledger-actor.ts'
import { eventually, type Gateway, secret, startGateway } from './gateway.ts'

/** True for what may come from another process. The compiler asks for every type. */
const endpointTypes: Record<EndpointMessage['type'], boolean> = {
  deliver: true,
  direct: true,
  wake: true,
  configChanged: true,
  stayReady: true,
  dialAhead: false,
  leave: false,
  pulled: false,
  pullFailed: false,
  pullAgain: false,
  rested: false,
  reloaded: false,
  reloadFailed: false,
  posted: false,
  notPosted: false,
  dialled: false,
  dialFailed: false,
  frameDone: false,
  socketClosed: false,
  pong: false,
  directDue: false,
  cooledDown: false,
  settleDue: false,
  pingDue: false,
  pongLate: false,
  idleDue: false,
  recorded: false,
}
const callTypes: Record<CallMessage['type'], boolean> = {
  place: false,
  providerConnect: true,
  providerStatus: true,
  providerTerminate: true,
  answer: true,
  preAccept: true,
  decline: true,
  hangUp: true,
  offer: true,
  wake: true,
  ringing: true,
  forwarded: false,
  providerAnswered: false,
  sdpSaved: false,
  drain: false,
}

describe('a gateway', () => {
  let redis: TestRedis
  let host: LedgerHost
  let gateway: Gateway
  let refused: string[]
  let logged: string[]
  let count = 0

  const write = (fields: Record<string, string>) =>
    gateway.node.redis.xAdd(keys.inbox(gateway.node.self.nodeId), '*', fields)
  const body = (changes: Partial<RpcEnvelope> = {}) => {
    count += 1
    return JSON.stringify({
      v: 1,
      kind: 'call',
      id: 'x',
      sid: gateway.node.self.sid,
      msgId: `message-${count}`,
      type: 'tell',
      deadlineMs: 5_000,
      message: { type: 'say', text: 'v=0 of a stranger' },
      ...changes,
    })
  }
  const sealed = (envelope: string, ageMs = 0) => ({
    seal: seal(secret, Date.now() - ageMs, envelope),
    envelope,
  })
  const say = (text: string) => sealed(body({ message: { type: 'say', text } as never }))
  /** Entries are read in order, so what was written before is read, too. */
  const readUntil = async (text: string) => {
    await write(say(text))
    await eventually(() => host.log.includes(`frame ${text}`))
  }

  before(async () => {
    redis = await testRedis()
  })
  beforeEach(async () => {
    host = new LedgerHost()
    host.seed('x')
    refused = []
    logged = []
    gateway = await startGateway({
      redisUrl: redis.url,
      host,
      onRefused: (...why) => void refused.push(why.join(' ')),
      log: { info() {}, warn: (fields, event) => void logged.push(`${event} ${JSON.stringify(fields)}`) },
    })
  })
  afterEach(() => gateway.close())
  after(() => redis.stop())

  test('takes from its inbox only what is sealed, fresh and new', async () => {
    const later = String(Date.now() + 30_000)
    const genuine = say('once')
    const hostile: [string, Record<string, string>][] = [
      ['unsealed', { until: later, envelope: body() }],
      ['unsealed', { seal: '', envelope: body() }],
      ['forged', { seal: 'x', envelope: body() }],
      ['forged', { seal: `${Date.now()}.`, envelope: body() }],
      ['forged', { seal: seal('another secret', Date.now(), 'x'), envelope: body() }],
      ['forged', { ...sealed(body()), envelope: body() }],
      ['forged', { seal: sealed(body()).seal }],
      ['expired', sealed(body(), 31_000)],
      ['expired', { ...sealed(body(), 31_000), until: later }],
      ['expired', sealed(body(), -90_000)],
      ['replayed', genuine],
      ['replayed', sealed(body({ sid: 'another session' }))],
      ['malformed', sealed('v=0 of a stranger')],
      ['malformed', sealed(body({ type: 'ask' }))],
      ['internal', sealed(body({ message: { type: 'due' } }))],
    ]
    await write(genuine)
    for (const [, fields] of hostile) await write(fields)
    await readUntil('last')
    assert.deepEqual(
      refused,
      hostile.map(([reason]) => `inbox ${reason}`),
    )
    assert.deepEqual(
      host.log.filter((line) => line.startsWith('frame')),
      ['frame once', 'frame last'],
    )
    assert.ok(!host.log.includes('note due'))
  })

  test('logs that it refuses, without content, and not once for each message', async () => {
    for (let n = 0; n < 200; n += 1) await write({ seal: 'v=0', envelope: body() })
    await readUntil('last')
    assert.equal(refused.length, 200)
    const lines = logged.filter((line) => line.startsWith('cluster.message_refused'))
    assert.equal(lines[0], 'cluster.message_refused {"way":"inbox","reason":"forged","messages":1}')
    assert.ok(lines.length < 100, `${lines.length} lines`)
    assert.doesNotMatch(logged.join('\n'), /v=0|message-/)
  })

  test('counts what its internal port refuses', async () => {
    const post = async (envelope: string, headers: Record<string, string>) => {
      const url = `${gateway.node.self.address}${rpcPath}`
      return (await fetch(url, { method: 'POST', body: envelope, headers })).status
    }
    const signed = (envelope: string, ageMs = 0) =>
      post(envelope, { [authHeader]: sealed(envelope, ageMs).seal })
    assert.equal(await post(body(), {}), 401)
    assert.equal(await post(body(), { [authHeader]: sealed(body()).seal }), 401)
    assert.equal(await signed(body(), 31_000), 401)
    assert.equal(await signed('{}'), 400)
    assert.equal(await signed(body({ message: { type: 'due' } })), 501)
    assert.deepEqual(refused, [
      'http unsealed',
      'http forged',
      'http expired',
      'http malformed',
      'http internal',
    ])
  })

  const typesOf: [ActorKind, Record<string, boolean>, ReadonlySet<string>][] = [
    ['endpoint', endpointTypes, endpointActor({} as never).fromOthers],
    ['call', callTypes, callActor({} as never).fromOthers],
  ]
  for (const [kind, types, fromOthers] of typesOf)
    test(`takes for a ${kind} no message that only its owner posts, sealed or not`, async () => {
      const taken: string[] = []
      const actors = new ActorDirectory({
        definition: {
          ...ledgerActor,
          ...{ kind, mailboxLimit: 64, fromOthers: fromOthers as never },
          handle(state, { message }) {
            taken.push(message.type)
            return { state, effects: [] }
          },
        },
        ...{ host, ownership: gateway.node.ownership, clock: systemClock },
        ...{ guardMs: 2_500, confirmEveryMs: 1_000 },
      })
      gateway.node.host(kind, actors)
      const all = Object.keys(types)
      const own = all.filter((type) => !types[type])
      for (const type of all) {
        const envelope = body({ kind, message: { type } })
        await write({ envelope })
        await write(sealed(envelope))
      }
      await write(sealed(body({ kind, message: { type: 'wake' } })))
      const allowed = [...all.filter((type) => types[type]), 'wake']
      await eventually(() => taken.length >= allowed.length)
      assert.deepEqual(taken, allowed)
      assert.equal(refused.filter((why) => why === 'inbox unsealed').length, all.length)
      assert.equal(refused.filter((why) => why === 'inbox internal').length, own.length)
      actors.close()
    })
})
