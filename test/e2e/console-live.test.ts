// The console's live updates over two gateways: each shows what happens at the other, and closes sockets of
// sessions that end at the other.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPasswordHasher } from '../../src/accounts/password.ts'
import { createOperatorStore } from '../../src/accounts/store/operators.store.ts'
import { totpCode, totpStep } from '../../src/accounts/totp.ts'
import { after, before } from '../support/harness.ts'
import { type LiveClient, watchLive } from '../support/live-client.ts'
import { client, type Json, ok, signIn } from './clients.ts'
import { stepsOf } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
before(async () => {
  stack = await startStack({ gateways: 2 })
})
after(() => stack?.stop())

const step = stepsOf(() => stack)

const originOf = (index: number): string => stack.gateway(index).origin
const watch = (index: number, cookie: string): Promise<LiveClient> =>
  watchLive(originOf(index), stack.workspaceId, { cookie })
const consoleAt = (index: number, cookie: string) => client(`${originOf(index)}/console/api`, { cookie })

step('a call that one gateway hears of is seen at both, from its ring to its end', async () => {
  const cookie = await signIn(originOf(0), stack.operator)
  const viewers = await Promise.all([0, 1].map((index) => watch(index, cookie)))
  for (const viewer of viewers) {
    viewer.subscribe('calls', 'overview')
    await viewer.until('both snapshots', () => viewer.frames.length >= 2)
  }
  const { wacid } = await ok(stack.sim.post('/handsets/15557000141/calls', { to: stack.numbers[0].number }))
  const seen = (viewer: LiveClient): Json =>
    viewer.states['calls'].items.find((call: Json) => call.wacid === wacid)
  for (const viewer of viewers) {
    await viewer.until('the ring', () => seen(viewer)?.status === 'RINGING')
    await viewer.until('the count', () => viewer.states['overview'].calls.live === 1)
  }
  await ok(stack.console.post(`/calls/${seen(viewers[0] as LiveClient).id}/action`, { action: 'DECLINE' }))
  for (const viewer of viewers) {
    await viewer.until('the end', () => seen(viewer).status === 'DECLINED')
    await viewer.until('the count', () => viewer.states['overview'].calls.live === 0)
    viewer.socket.close()
  }
})

step('deliveries that workers and gateways make are seen as they go', async () => {
  const cookie = await signIn(originOf(1), stack.operator)
  const viewer = await watch(1, cookie)
  viewer.subscribe('deliveries')
  await viewer.until('the snapshot', () => viewer.frames.length === 1)
  // Nothing listens there, so the deliveries fail.
  const endpoint = await stack.addEndpoint({ url: 'http://127.0.0.1:9/', events: ['message.received'] })
  await ok(
    stack.sim.post('/handsets/15557000142/messages', {
      to: stack.numbers[0].number,
      ...{ type: 'text', text: 'Hello?' },
    }),
  )
  await viewer.until('the failed attempt', () =>
    viewer.states['deliveries'].items.some(
      (one: Json) => one.endpointId === endpoint.id && one.state === 'RETRYING',
    ),
  )
  await ok(stack.console.post(`/endpoints/${endpoint.id}/disable`))
  await viewer.until('the hold', () =>
    viewer.states['deliveries'].items.some(
      (one: Json) => one.endpointId === endpoint.id && one.state === 'HELD',
    ),
  )
  viewer.subscribe('overview')
  await viewer.until('the overview', () => viewer.states['overview'] !== undefined)
  assert.deepEqual(viewer.states['overview'].endpointsOff, [{ id: endpoint.id, name: 'receiver' }])
  viewer.socket.close()
})

step('a sign-out at one gateway closes the socket at the other', async () => {
  const cookie = await signIn(originOf(0), stack.operator)
  const viewer = await watch(1, cookie)
  const stays = await watch(1, await signIn(originOf(0), stack.operator))
  await ok(consoleAt(0, cookie).delete('/session'), 204)
  assert.equal(await viewer.closed(), 4401)
  stays.subscribe('calls')
  await stays.until('the snapshot', () => stays.frames.length === 1)
  stays.socket.close()
})

step('a session ended from another browser, at another gateway, loses its socket', async () => {
  const [here, there] = [await signIn(originOf(0), stack.operator), await signIn(originOf(1), stack.operator)]
  const viewer = await watch(1, there)
  const { data } = await ok(consoleAt(1, there).get('/me/sessions'))
  const { id } = data.find(({ current }: Json) => current)
  await ok(consoleAt(0, here).delete(`/me/sessions/${id}`), 204)
  assert.equal(await viewer.closed(), 4401)
})

step('a gateway that is drained says so, and the next one takes over', async () => {
  const cookie = await signIn(originOf(0), stack.operator)
  const viewer = await watch(1, cookie)
  viewer.subscribe('calls')
  await viewer.until('the snapshot', () => viewer.frames.length === 1)
  const [code] = await Promise.all([viewer.closed(), stack.gateway(1).process.stop()])
  assert.equal(code, 1001)
  const again = await watch(0, cookie)
  again.subscribe('calls')
  await again.until('the snapshot', () => again.frames.length === 1)
  again.socket.close()
  await stack.restartGateway(1)
})

/** Guesses at the password of a new operator who has signed in once. */
async function guessed(email: string) {
  const password = 'ferry lantern oats'
  const passwordHash = await createPasswordHasher({ logN: 12 }).hash(password)
  await createOperatorStore(stack.sql).create({ email, name: 'Ada', passwordHash, platformOwner: false })
  const first = await client(originOf(0)).post('/console/api/session', { email, password })
  const cookie = first.headers
    .getSetCookie()
    .map((set) => set.split(';', 1)[0])
    .join('; ')
  const guess = (index: number) =>
    client(originOf(index % 2)).post('/console/api/session', { email, password: `guess ${index}` })
  const began = performance.now()
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => guess(index)))
  const looked = answers.filter(({ status }) => status === 401).length
  // A token comes back after twelve seconds. A gateway without Redis would count for itself.
  const most = 5 + Math.floor((performance.now() - began) / 12_000)
  return { email, password, cookie, looked, most }
}

step('wrong guesses at both gateways are one limit, and keep no known device out', async () => {
  let found = await guessed('ada@northdock.example')
  if (found.looked > found.most) {
    // On a busy machine Redis may answer late once. Each gateway then counts for itself, for a second.
    await sleep(2_000)
    found = await guessed('eve@northdock.example')
  }
  const { email, password, cookie, looked, most } = found
  assert.ok(looked <= most, `${looked} were looked at, ${most} at most`)
  for (const index of [0, 1]) {
    const known = client(originOf(index), { cookie })
    await ok(known.post('/console/api/session', { email, password }))
  }
})

step('of one recovery code at both gateways at once, one signs in', async () => {
  const cookie = await signIn(originOf(0), stack.operator)
  const own = consoleAt(0, cookie)
  const { password } = stack.operator
  const { seed } = await ok(own.post('/me/totp'))
  const code = totpCode(seed, totpStep(Date.now()))
  const { recoveryCodes } = await ok(own.put('/me/totp', { password, code }))
  for (const recoveryCode of recoveryCodes.slice(0, 2)) {
    const replies = await Promise.all(
      [0, 1].map((index) =>
        client(originOf(index)).post('/console/api/session', { ...stack.operator, recoveryCode }),
      ),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  }
  assert.equal((await ok(own.get('/me'))).operator.recoveryCodesLeft, 8)
})
