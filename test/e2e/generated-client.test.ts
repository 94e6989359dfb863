// A customer's program: types generated from the served OpenAPI document, and a client that uses only them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import createClient from 'openapi-fetch'
import { clientTypes } from '../../src/dev/client-types.ts'
import type { components, paths, webhooks } from '../fixtures/client-types.ts'
import { after, before } from '../support/harness.ts'
import { send } from './hostile-client.ts'
import { type HttpsReceiver, startHttpsReceiver } from './receivers.ts'
import { scenario } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

type Event = webhooks['message.status']['post']['requestBody']['content']['application/json']

let stack: Stack
let receiver: HttpsReceiver

before(async () => {
  stack = await startStack()
  receiver = await startHttpsReceiver(stack.tls)
})
after(() => stack?.stop().finally(() => receiver?.close()))

const client = (key = stack.key) =>
  createClient<paths>({
    baseUrl: `${stack.gateway(0).origin}/api/v1`,
    headers: { Authorization: `Bearer ${key}` },
  })

const step = (title: string, work: () => Promise<void>) => scenario(title, () => stack, work)

step('the types that were compiled are those of the document that is served', async () => {
  const answer = await fetch(`${stack.gateway(0).origin}/openapi.json`)
  assert.equal(answer.headers.get('content-type'), 'application/json')
  const compiled = readFileSync(new URL('../fixtures/client-types.ts', import.meta.url), 'utf8')
  assert.equal(await clientTypes(await answer.text()), compiled)
})

step('the reference is there for everybody, as a page that nothing foreign can run on', async () => {
  // On a connection of its own: while the types were compiled, the server hung up on those that fetch keeps.
  const page = await send(stack.gateway(0).origin, { path: '/docs' })
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.match(`${page.headers['content-security-policy']}`, /^default-src 'none'; style-src 'sha256-/)
  assert.match(page.text, /<section id="sendMessage"/)
})

step('a send, its event and its record, all by their types', async () => {
  const endpoint = await stack.addEndpoint({ url: receiver.url, events: ['message.status'] })
  receiver.secret = endpoint.secret
  const { data, error, response } = await client().POST('/messages/chat', {
    body: {
      to: '+15557000001',
      template: { name: 'hello_world', language: 'en_US' },
      idempotencyKey: 'generated-1',
    },
  })
  assert.equal(response.status, 202, JSON.stringify(error))
  assert.ok(data)
  const sent: components['schemas']['Message'] = data
  const read = await receiver.inbox.first('READ', ({ data }) => data?.status === 'READ')
  const event: Event = read.body
  assert.equal(event.data.messageId, sent.id)
  const found = await client().GET('/messages/chat/{id}', { params: { path: { id: sent.id } } })
  assert.equal(found.data?.status, 'READ')
  const list = await client().GET('/messages/chat', {
    params: { query: { limit: 1, direction: 'OUTBOUND' } },
  })
  assert.deepEqual(
    list.data?.data.map(({ id }) => id),
    [sent.id],
  )
})

step('a refusal is typed too', async () => {
  const { error } = await client('ck_test_none').GET('/templates')
  const refusal: components['schemas']['Error'] | undefined = error
  assert.equal(refusal?.error.code, 'INVALID_API_KEY')
})
