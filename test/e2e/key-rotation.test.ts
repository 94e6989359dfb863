// SECRETS_KEY is rotated in a rolling deployment of two gateways: calls ring and events are handed over at each step.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { runOperatorCommand } from '../../src/accounts/host/operator-commands.ts'
import { processSecrets } from '../../src/accounts/host/secrets.ts'
import { loadSettings } from '../../src/platform/config/config.ts'
import { after, before } from '../support/harness.ts'
import { decline, ring } from './call-steps.ts'
import { type Json, ok } from './clients.ts'
import { textIs } from './crashes.ts'
import { write } from './message-steps.ts'
import { atBoth, eventually, openScene, type Scene, stepsOf } from './scene.ts'

const [old, fresh] = [randomBytes(32), randomBytes(32)].map(
  (key, index) => `${index + 1}:${key.toString('hex')}`,
)
const oldAlone = { SECRETS_KEY: `${old}` }
const oldFirst = { SECRETS_KEY: `${old},${fresh}` }
const freshFirst = { SECRETS_KEY: `${fresh},${old}` }
const freshAlone = { SECRETS_KEY: `${fresh}` }

let scene: Scene
before(async () => {
  scene = await openScene({ gateways: 2, env: oldAlone })
  const { stack, socketEndpoint } = scene
  await stack.assignNumber(stack.numbers[0], { endpointId: socketEndpoint.id, forwardCalls: true })
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

let handsets = 0
const handset = () => {
  handsets += 1
  return `1555700${1_000 + handsets}`
}

/** Webhooks go to the gateways in turn, so several of each reach owners on the other one. */
async function goesOn(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await decline(scene, handset())
    const text = `after key ${handsets}`
    await write(scene, handset(), text, 1)
    await atBoth(scene, text, textIs(text))
  }
}

const seenBy = (events: readonly string[]) =>
  [...scene.stack.gateways.map(({ process }) => process), ...scene.stack.workers].flatMap((process) =>
    process.lines().filter(({ event }) => event !== undefined && events.includes(event)),
  )
const noKeyIsMissing = () =>
  assert.deepEqual(seenBy(['secret.failed', 'cluster.message_refused', 'cluster.seal_not_accepted']), [])

const reseal = (env: Record<string, string>) =>
  runOperatorCommand(
    { sql: scene.stack.sql, makePassword: () => '', secrets: () => processSecrets(loadSettings(env)).box },
    {
      words: ['reseal'],
      name: undefined,
      waba: undefined,
      platformOwner: false,
      force: false,
      password: undefined,
    },
  )

step('one gateway knows the new key, the other and the worker do not yet', async () => {
  await scene.stack.restartGateway(0, oldFirst)
  await goesOn()
  noKeyIsMissing()
})
step(
  'one gateway seals with the old key and one with the new: each opens what the other sealed',
  async () => {
    const { stack, https, socket, httpsEndpoint, socketEndpoint } = scene
    await stack.restartWorker(0, oldFirst)
    await stack.restartGateway(1, freshFirst)
    await goesOn()
    // The console is asked at the gateways in turn, so one of these is sealed by each key.
    const rotate = ({ id }: Json) => ok(stack.console.post(`/endpoints/${id}/rotate`))
    https.secret = (await rotate(httpsEndpoint)).secret
    socket.secret = (await rotate(socketEndpoint)).secret
    const sealed = await stack.sql<{ keyId: string }[]>`
    select convert_from(substr(secret, 3, 1), 'utf8') as key_id from endpoints order by 1`
    assert.deepEqual(
      sealed.map(({ keyId }) => keyId),
      ['1', '2'],
    )
    await stack.restartGateway(0, oldFirst)
    await goesOn()
    noKeyIsMissing()
  },
)
step('without every key the command moves nothing and keeps all keys', async () => {
  await assert.rejects(reseal(oldAlone), /1 sealed under key id "2" are opened by no key here/)
})
step('everything is sealed again under the new key, the old one goes, and calls ring on', async () => {
  await scene.stack.restartGateway(0, freshFirst)
  assert.deepEqual(await reseal(freshFirst), [
    'sealed 2 of 3 secrets again',
    'the first key of SECRETS_KEY opens everything: the others can go',
  ])
  await scene.stack.restartGateway(0, freshAlone)
  await goesOn()
  noKeyIsMissing()
})
step('a gateway without the key says in log and metric that it cannot open a secret', async () => {
  await scene.stack.gateway(1).process.stop()
  await scene.stack.restartGateway(0, oldAlone)
  const { process, internalOrigin } = scene.stack.gateway(0)
  await ring(scene, handset())
  await eventually('the missing key is in the log', async () =>
    process.lines().some(({ event, keyId }) => event === 'secret.failed' && keyId === '2'),
  )
  const metrics = await (await fetch(`${internalOrigin}/metrics`)).text()
  assert.match(metrics, /switchboard_secret_failures_total\{operation="open",fault="unknownKey"\} [1-9]/)
})
