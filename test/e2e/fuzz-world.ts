// A stack to fuzz: one gateway with an inspector, and a workspace with one record of every kind.
import { client, type Json, ok, refused, signIn } from './clients.ts'
import type { Material } from './fuzz-requests.ts'
import { eventually } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

export interface FuzzWorld {
  readonly stack: Stack
  readonly origin: string
  readonly phoneNumberId: string
  readonly material: Material
}

// Every stack's workspace has this owner.
const owner = { email: 'owner@northdock.example', password: 'a password for tests' }

export async function openFuzzWorld(): Promise<FuzzWorld> {
  const stack = await startStack({
    workers: 0,
    env: {
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
      // No resolver listens there, so a mutated name fails to resolve at once.
      DNS_SERVERS: '127.0.0.1:9',
      // Ends the calls that random requests place while the fuzzing still runs.
      RING_TIMEOUT: '5s',
      SIM_RING_TIMEOUT_MS: '2000',
    },
  })
  const { origin } = stack.gateway(0)
  const cookie = await signIn(origin, owner)
  // The first one loads the list of common passwords, which stays in memory.
  const common = { password: owner.password, newPassword: 'password12345' }
  await refused(client(origin, { cookie }).put('/console/api/me/password', common), 400)
  return {
    ...{ stack, origin, phoneNumberId: stack.numbers[0].phoneNumberId },
    material: {
      key: stack.key,
      cookie,
      ids: await oneOfEach(stack),
      cursors: await cursorsOf(stack),
    },
  }
}

const hello = { name: 'hello_world', language: 'en_US' }

async function oneOfEach({ api, console, sim, numbers, workspaceId, addEndpoint }: Stack) {
  const message = await ok(api.post('/messages/chat', { to: '+15557000001', template: hello }), 202)
  await ok(api.post('/messages/chat', { to: '+15557000002', template: hello }), 202)
  const campaign = await ok(api.post('/campaigns', { name: 'fuzz', template: hello }), 201)
  await ok(api.post('/campaigns', { name: 'fuzz again', template: hello }), 201)
  const recipients = [{ to: '+15557000001' }, { to: '+15557000002' }]
  await ok(api.post(`/campaigns/${campaign.id}/recipients`, { recipients }))
  const [recipient] = (await ok(api.get(`/campaigns/${campaign.id}/recipients`))).data
  for (const from of ['15557001234', '15557001235'])
    await ok(sim.post(`/handsets/${from}/calls`, { to: numbers[0].number }))
  let calls: Json[] = []
  await eventually('it rings', async () => {
    calls = (await ok(api.get('/calls'))).data
    return calls.length === 2
  })
  const endpoint = await addEndpoint({ url: 'https://localhost:9/hook', events: ['call.accepted'] })
  // A separate key for the requests to change: the key that authenticates them must stay valid.
  const key = await ok(console.post('/keys', { name: 'fuzz', scopes: ['CATALOG_READ'] }), 201)
  const [template] = (await ok(api.get('/templates'))).data
  const [member] = (await ok(console.get('/members'))).data
  const invited = { email: 'invited@example.com', role: 'VIEWER' }
  const invitation = await ok(console.post('/invitations', invited), 201)
  return {
    ...{
      wsp: workspaceId,
      msg: message.id,
      cnv: message.conversationId,
      cmp: campaign.id,
      rcp: recipient.id,
    },
    ...{ call: calls[0].id, whe: endpoint.id, key: key.id, tpl: template.id, num: numbers[0].id },
    ...{ opr: member.operatorId, inv: invitation.id, dlv: 'dlv_01m7x1kd0xetktkyd10zyf1ms9' },
  }
}

async function cursorsOf({ api, console }: Stack): Promise<string[]> {
  const pages = [
    ...['/messages/chat', '/conversations', '/templates', '/numbers', '/calls', '/campaigns'].map((list) =>
      api.get(`${list}?limit=1`),
    ),
    ...['/messages', '/conversations', '/templates', '/numbers', '/calls', '/campaigns', '/audit'].map(
      (list) => console.get(`${list}?limit=1`),
    ),
  ]
  const bodies = await Promise.all(pages.map((page) => ok(page)))
  return bodies.flatMap(({ nextCursor }) => nextCursor ?? [])
}
