// What provokes an error at a running gateway, and what is needed around it.
import { connect } from 'node:net'
import { decodeId } from '../../src/shared/ids.ts'
import { type Json, ok } from './clients.ts'
import { refusals } from './hostile-api.ts'
import { type Ask, send, type Told } from './hostile-client.ts'
import { type HostileWorld, sendable } from './hostile-world.ts'
import { eventually } from './scene.ts'
import { session } from './sdp.ts'

/** MAX_REQUESTS of the gateway: few enough for one test to occupy. */
export const MAX_REQUESTS = 8

/** The request, with a path below /api/v1 or the console's workspace, and its answer. */
export interface Provoked {
  readonly edge: 'api' | 'console'
  readonly ask: Ask
  readonly told: Told
}

export type Provocation = (world: HostileWorld) => Promise<Provoked>

export const ask = async (
  { origin }: HostileWorld,
  one: Ask,
  headers: Ask['headers'] = {},
): Promise<Provoked> => {
  const told = await send(origin, {
    ...{ ...one, path: `/api/v1${one.path}` },
    headers: { ...headers, ...one.headers },
  })
  return { edge: 'api', ask: one, told }
}

export const api = (world: HostileWorld, one: Ask, key = world.stack.key) =>
  ask(world, one, { 'x-api-key': key })

export const inConsole = async ({ origin, stack, cookie }: HostileWorld, one: Ask): Promise<Provoked> => {
  const path = `/console/api/workspaces/${stack.workspaceId}${one.path}`
  return { edge: 'console', ask: one, told: await send(origin, { ...one, path, headers: { cookie } }) }
}

export const asks =
  (one: Ask): Provocation =>
  (world) =>
    api(world, one)

export const post = (path: string, body: unknown): Ask => ({ method: 'POST', path, body })
export const answering = ({ id }: Json) => post(`/calls/${id}/answer`, { session: session('answer') })
export const chat = '/messages/chat'
export const optedOut = '15557000078'

/** A well-formed send that cannot be fulfilled, by its name in hostile-api.ts. */
export const sendOf = (what: string): Provocation => {
  const found = refusals(`+${optedOut}`).find(([name]) => name === what)
  if (!found) throw new Error(`nobody sends ${what}`)
  return asks(found[1])
}

/** Sends from a handset; returns the message as the message log shows it. */
export async function inbound({ stack }: HostileWorld, from: string, fields: object): Promise<Json> {
  const { id } = await ok(
    stack.sim.post(`/handsets/${from}/messages`, { to: stack.numbers[0].number, ...fields }),
  )
  let found: Json
  await eventually('the message is in the log', async () => {
    const { data } = await ok(stack.api.get(`/messages/chat?contact=${from}`))
    found = data.find((one: Json) => one.providerMessageId === id)
    return found !== undefined
  })
  return found
}

export const conversationWith = async ({ stack }: HostileWorld, to: string): Promise<string> =>
  (await ok(stack.api.post(chat, sendable(`+${to}`)), 202)).conversationId

export const placing = (conversationId: string) =>
  post(`/conversations/${conversationId}/call`, { session: session('offer') })

/** Opens requests whose bodies never arrive completely; returns a function that ends them. */
export async function waitingCallers({ origin, stack }: HostileWorld, count: number): Promise<() => void> {
  const { hostname, port } = new URL(origin)
  const head = [
    `POST /api/v1${chat} HTTP/1.1`,
    `Host: ${hostname}`,
    `X-Api-Key: ${stack.key}`,
    ...['Content-Type: application/json', 'Content-Length: 100', '', '{'],
  ].join('\r\n')
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      await new Promise<void>((resolve) => socket.once('connect', () => socket.write(head, () => resolve())))
      return socket
    }),
  )
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** While the provider restricts the account. */
export async function whileStopped({ stack }: HostileWorld, stops: string, run: () => Promise<Provoked>) {
  const { sql } = stack
  const workspaceId = decodeId('workspace', stack.workspaceId) as string
  await sql`
    insert into account_states (workspace_id, topic, key, status, severity, message, at, until, stops)
    values (${workspaceId}, 'RESTRICTION', 'X', 'X', 'CRITICAL', 'Restricted.', now(), now() + interval '1 hour',
      ${[stops]})`
  const provoked = await run()
  await sql`delete from account_states where workspace_id = ${workspaceId} and topic = 'RESTRICTION'`
  return provoked
}
