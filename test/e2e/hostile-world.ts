// Two workspaces on one stack: one has a live call, messages and an endpoint; the stranger, the owner of the
// other one, knows all its ids.
import { setTimeout as sleep } from 'node:timers/promises'
import { provider } from '../../src/dev/provider.ts'
import { type Demo, seedWorkspace } from '../../src/dev/seed.ts'
import { encodeId } from '../../src/shared/ids.ts'
import { type Json, ok, signIn } from './clients.ts'
import { type Stack, startStack } from './stack.ts'

export interface HostileWorld {
  readonly stack: Stack
  readonly origin: string
  /** Records of the stack's workspace. */
  readonly call: Json
  readonly message: Json
  readonly endpoint: Json
  readonly apiKeyId: string
  readonly cookie: string
  readonly owner: Demo['operator']
  /** Another workspace without numbers. Its owner belongs to no other workspace. */
  readonly stranger: { readonly workspaceId: string; readonly key: string; readonly cookie: string }
  /** Creates a key in the stack's workspace. */
  makeKey(fields: {
    scopes: readonly string[]
    requestsPerSecond?: number
    allowedIps?: readonly string[]
    expiresAt?: string
  }): Promise<Json>
}

const owner = { email: 'owner@northdock.example', password: 'a password for tests' }

/** `env`: settings beyond those that the world needs. */
export async function openHostileWorld(env: Readonly<Record<string, string>> = {}): Promise<HostileWorld> {
  const stack = await startStack({
    workers: 0,
    env: { WEBHOOK_TARGETS: 'public', SIM_RING_TIMEOUT_MS: '120000', ...env },
  })
  const { origin } = stack.gateway(0)
  const apiKeyId: string = (await ok(stack.console.get('/keys?limit=1'))).data[0].id
  // A literal address needs no resolver, and the event never occurs here, so nothing is ever sent to it.
  const endpoint = await stack.addEndpoint({ url: 'https://1.1.1.1/hook', events: ['call.accepted'] })
  // This handset reports no status, so the message keeps its state.
  const message = await ok(stack.api.post('/messages/chat', sendable('+15557000007')), 202)
  return {
    ...{ stack, origin, apiKeyId, endpoint, message, owner },
    cookie: await signIn(origin, owner),
    call: await ringing(stack, '15557001234'),
    stranger: await addStranger(stack, origin),
    makeKey: (fields) => ok(stack.console.post('/keys', { name: 'hostile', ...fields }), 201),
  }
}

export const sendable = (to = '+15557000001') => ({
  to,
  template: { name: 'hello_world', language: 'en_US' },
})

/** A handset calls the first number; returns the call once it rings. */
export async function ringing({ sim, api, numbers }: Stack, from: string): Promise<Json> {
  const { wacid } = await ok(sim.post(`/handsets/${from}/calls`, { to: numbers[0].number }))
  for (;;) {
    const { data } = await ok(api.get('/calls?live=true'))
    const call = data.find((one: Json) => one.wacid === wacid)
    if (call) return call
    await sleep(20)
  }
}

async function addStranger({ sql }: Stack, origin: string): Promise<HostileWorld['stranger']> {
  const { workspaceId, apiKey, operator } = await seedWorkspace(sql, {
    wabaId: `${provider.wabaId}0`,
    workspaceName: 'Stranger',
    email: 'stranger@example.com',
    password: 'a password for strangers',
    passwordLogN: 12,
  })
  await sql`update operators set platform_owner = false where email = ${operator.email}`
  return {
    workspaceId: encodeId('workspace', workspaceId),
    key: apiKey,
    cookie: await signIn(origin, operator),
  }
}
