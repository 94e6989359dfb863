// Kills gateways, as kill -9 does, at an instant of the test's choice. The first number of the workspace
// belongs to the HTTPS endpoint and the second to the socket, so a text reaches exactly one receiver.
import assert from 'node:assert/strict'
import type { Failpoint } from '../../src/shared/failpoint.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type Json, ok } from './clients.ts'
import type { Fits, Received } from './inbox.ts'
import { eventually, openScene, type Scene } from './scene.ts'
import type { StackOptions } from './stack.ts'

/** The default takeover times, scaled down in proportion. */
const timing = { SESSION_TTL: '2s', SESSION_RENEW: '250ms', GUARD: '1s', HANDOVER_SILENCE: '1200ms' }

export async function openCrashScene({ env, ...options }: StackOptions = {}): Promise<Scene> {
  const scene = await openScene({ ...options, env: { ...timing, ...env } })
  const { stack, httpsEndpoint, socketEndpoint } = scene
  const [first, second] = stack.numbers
  await stack.assignNumber(first, { endpointId: httpsEndpoint.id, forwardCalls: true })
  await stack.assignNumber(second, { endpointId: socketEndpoint.id })
  return scene
}

/** Starts a gateway that dies at this failpoint, at the latest during `work`; resolves once it is dead. */
export async function dieAt(
  { stack }: Scene,
  name: Failpoint,
  work: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  // Unfinished work may reach the failpoint before the gateway reports that it serves.
  const isDead = await stack.restartGateway(0, { FAILPOINT: name }).then(
    () => false,
    (error: Error) => {
      if (error.message.includes('ended (SIGKILL)')) return true
      throw error
    },
  )
  if (isDead) return
  const { process } = stack.gateway(0)
  // A request to the dying process gets no answer.
  await work().catch(() => undefined)
  await eventually(`death at ${name}`, async () => !process.isRunning)
  assert.equal(await process.exited, 'SIGKILL')
}

export const textIs =
  (text: string): Fits =>
  ({ event, data }) =>
    event === 'message.received' && data.text === text

/** The attempt that a POST names: `<delivery id> <attempt number>`. */
export const attemptOf = ({ headers }: Received): string =>
  `${headers['x-communication-delivery']} ${headers['x-communication-attempt']}`

/** Waits until every webhook of the provider was answered 200 and no delivery is waiting. */
export async function calm({ stack }: Scene, withinMs = PATIENCE_MS): Promise<void> {
  const isAnswered = async () => (await ok(stack.sim.get('/health'))).pendingWebhooks === 0
  const isDelivered = async () => {
    const rows = await stack.sql`select from deliveries where state in ('PENDING', 'RETRYING') limit 1`
    return rows.length === 0
  }
  await eventually('the provider is answered', isAnswered, withinMs)
  await eventually('nothing is pending', isDelivered, withinMs)
}

/** The stored deliveries of the events of this text. */
export const deliveriesOf = async ({ stack }: Scene, text: string): Promise<Json[]> => [
  ...(await stack.sql`
  select d.id, d.state, d.attempt_count, e.body
  from deliveries d
  join events e on e.id = d.event_id
  where e.kind = 'message.received' and convert_from(e.body, 'utf8')::jsonb -> 'data' ->> 'text' = ${text}`),
]

/** There is one event with one delivery, it has arrived, and every copy carried the stored bytes. */
export async function assertArrived(scene: Scene, text: string, copies: readonly Received[]): Promise<void> {
  await calm(scene)
  const rows = await deliveriesOf(scene, text)
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['DELIVERED'],
    'one message, one event, one delivery',
  )
  assert.ok(copies.length > 0, 'it arrived')
  for (const { raw } of copies) assert.deepEqual(raw, rows[0].body)
  assert.equal(scene.https.forged, 0)
  assert.ok(scene.socket.connections.every(({ isGenuine }) => isGenuine))
}

/** POST requests to the provider whose body fits, oldest first. */
export async function asked({ stack }: Scene, fits: (body: Json) => boolean): Promise<Json[]> {
  const { data } = await ok(stack.sim.get('/requests?limit=10000'))
  return data.filter(({ method, body }: Json) => method === 'POST' && body !== null && fits(body))
}
