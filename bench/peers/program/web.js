// The web process: the provider's webhooks and the API, with Fastify.
import { hash, timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import { openDatabase, statement } from './database.js'
import { listConversations, listMessages, messageOf } from './lists.js'
import { openQueue } from './queues.js'
import { acceptSend } from './sends.js'
import { settings } from './settings.js'
import { isSigned } from './signature.js'
import { createWebhooks } from './webhooks.js'

const database = openDatabase(settings.databaseUrl)
const queue = await openQueue(settings)
const apply = createWebhooks(database, queue)
const app = Fastify({ bodyLimit: 1024 * 1024 })

// The signature is over the raw bytes.
app.register((routes, _options, done) => {
  routes.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) =>
    parsed(null, body),
  )
  routes.post('/provider/webhooks', async (request, reply) => {
    if (!isSigned(settings.appSecret, request.body, request.headers['x-hub-signature-256']))
      return reply.code(401).send()
    await apply(JSON.parse(request.body))
    return reply.code(200).send()
  })
  done()
})

const findKey = statement('find_key', 'select secret_hash from api_keys where prefix = $1')

async function authenticate(request, reply) {
  const [, prefix, secret] =
    /^Bearer ck_(?:live|test)_(\w{10})_(\w{43})$/.exec(request.headers.authorization) ?? []
  const [key] = prefix ? await findKey(database.pool, [prefix]) : []
  const isKnown = key && timingSafeEqual(key.secret_hash, Buffer.from(hash('sha256', secret, 'hex'), 'hex'))
  if (!isKnown)
    return reply.code(401).send({ error: { code: 'INVALID_API_KEY', message: 'the key is not known' } })
}

const send = {
  type: 'object',
  required: ['to'],
  oneOf: [{ required: ['template'] }, { required: ['text'] }],
  additionalProperties: false,
  properties: {
    from: { type: 'string' },
    text: {
      type: 'object',
      required: ['body'],
      additionalProperties: false,
      properties: { body: { type: 'string', minLength: 1, maxLength: 4_096 } },
    },
    to: { type: 'string', pattern: '^\\+[1-9]\\d{5,14}$' },
    template: {
      type: 'object',
      required: ['name', 'language'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        language: { type: 'string' },
        variables: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    idempotencyKey: { type: 'string', minLength: 1, maxLength: 255 },
  },
}
const page = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    cursor: { type: 'string' },
  },
}

app.register(
  (routes, _options, done) => {
    routes.addHook('onRequest', authenticate)
    routes.post('/messages/chat', { schema: { body: send } }, async (request, reply) => {
      const { row, isReplayed } = await acceptSend(database, queue, request.body)
      return reply.code(isReplayed ? 200 : 202).send(messageOf(row))
    })
    routes.get('/messages/chat', { schema: { querystring: page } }, ({ query }) =>
      listMessages(database.pool, query),
    )
    routes.get('/conversations', { schema: { querystring: page } }, ({ query }) =>
      listConversations(database.pool, query),
    )
    done()
  },
  { prefix: '/api/v1' },
)

// The provider repeats what is refused.
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 503
  if (status >= 500) process.stderr.write(`${error}\n`)
  const body = { error: { code: error.code ?? 'UNAVAILABLE', message: error.message } }
  return reply.code(status).send(body)
})

await app.listen({ host: '127.0.0.1', port: 0 })
process.send({ port: app.server.address().port })
process.once('disconnect', () => process.exit(0))
