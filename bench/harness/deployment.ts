// A deployment in place of a gateway of the bench's own, and receivers on other hosts.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'undici'
import * as v from 'valibot'
import { newId } from '../../src/shared/ids.ts'
import { clockOffset } from './clock.ts'
import type { Closing } from './closing.ts'
import type { GeneratorProtocol } from './generator.ts'
import { openPart } from './part.ts'
import { listen, type ReceiverProtocol } from './receiver.ts'
import type { Seeded } from './seed.ts'
import type { World } from './world.ts'

const text = v.pipe(v.string(), v.nonEmpty())
const number = v.object({
  /** The provider's phone number id. */
  id: text,
  digits: v.pipe(v.string(), v.regex(/^\d+$/, 'digits')),
  transport: v.picklist(['socket', 'https']),
  /** Digits of customers that the workspace knows: sends need a conversation that is open. */
  contacts: v.pipe(v.array(v.pipe(v.string(), v.regex(/^\d+$/, 'digits'))), v.nonEmpty()),
})
const Deployment = v.object({
  appSecret: text,
  apiKey: text,
  wabaId: text,
  numbers: v.pipe(v.array(number), v.nonEmpty()),
  /** What `--receive` printed. */
  receiver: v.object({ url: v.pipe(v.string(), v.url()), token: text }),
})

/** Exchanges of clocks before and after each run. */
const aroundRun = 20

export async function openDeployment(
  { target, file, say }: { target: string; file: string; say: (text: string) => void },
  closing: Closing,
): Promise<World> {
  const deployment = v.parse(Deployment, JSON.parse(readFileSync(file, 'utf8')))
  const ask = remoteReceiver(deployment.receiver)
  const readClock = (times?: number) => clockOffset(() => ask('clock', null), times)
  const { offsetNs, uncertaintyNs } = await readClock()
  say(
    `the receiver's clock is ${(-offsetNs / 1e6).toFixed(3)} ms ahead, give or take ${(uncertaintyNs / 1e6).toFixed(3)} ms`,
  )
  const generator = await openPart<GeneratorProtocol>('harness/generator.ts', closing)
  const own = () => Promise.reject(new Error('a deployment starts nothing'))
  return {
    ...{
      servers: undefined,
      sql: undefined,
      workerPid: undefined,
      checkWorker: () => undefined,
      vacuum: () => Promise.resolve(),
      watched: undefined,
      plainPort: 0,
    },
    gateways: [{ origin: new URL(target).origin, child: undefined, marksPath: '' }],
    ...{ generator, generatorPid: generator.pid, receiverPid: undefined },
    receiver: { ask, clock: () => readClock(aroundRun) },
    seeded: seededOf(deployment),
    wabaId: deployment.wabaId,
    appSecret: deployment.appSecret,
    ...{ dead: own, startGateway: own, opponent: own },
  }
}

function seededOf({ numbers, apiKey }: v.InferOutput<typeof Deployment>): Seeded {
  const workspaceId = newId('workspace')
  const owned = { workspaceId, numberId: newId('number'), endpointId: newId('endpoint') }
  const made = numbers.map((one) => ({ ...one, ...owned }))
  const sockets = made.filter(({ transport }) => transport === 'socket')
  const [first] = made
  if (!first) throw new Error('unreachable')
  const https = made.find(({ transport }) => transport === 'https') ?? first
  return { workspaceId, apiKey, numbers: sockets.length > 0 ? sockets : made, https, spare: first }
}

function remoteReceiver({ url, token }: { url: string; token: string }) {
  return async <Name extends keyof ReceiverProtocol & string>(
    name: Name,
    question: ReceiverProtocol[Name]['question'],
  ): Promise<ReceiverProtocol[Name]['answer']> => {
    const { statusCode, body } = await request(new URL(`/control/${name}`, url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(question),
      headersTimeout: 0,
    })
    const answer = await body.json()
    if (statusCode !== 200)
      throw new Error(`the receiver answered ${statusCode} to ${name}: ${JSON.stringify(answer)}`)
    return answer as ReceiverProtocol[Name]['answer']
  }
}

/** Events, the provider's requests and the control, on one port: behind a proxy that ends TLS for `https` and `wss`. */
export async function receive(port: number, say: (text: string) => void): Promise<void> {
  const token = randomBytes(24).toString('base64url')
  await listen({ host: '0.0.0.0' }, { port, token })
  say(`events and the provider's requests come to port ${port}`)
  say(`in the deployment file: "receiver": { "url": "http://<this host>:${port}", "token": "${token}" }`)
}
