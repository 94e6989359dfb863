// BullMQ alone, the web process: a webhook becomes one job, and nothing is written to Postgres.
import { Queue } from 'bullmq'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { retrySeconds, settings } from './settings.js'
import { isSigned } from './signature.js'

const queue = new Queue('events', { connection: new Redis(settings.redisUrl), prefix: settings.prefix })
queue.on('error', (error) => process.stderr.write(`${error}\n`))
const options = {
  attempts: retrySeconds.length + 1,
  removeOnComplete: { count: 10_000 },
  removeOnFail: 1_000,
}

const app = Fastify({ bodyLimit: 1024 * 1024 })
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
)
app.post('/provider/webhooks', async (request, reply) => {
  if (!isSigned(settings.appSecret, request.body, request.headers['x-hub-signature-256']))
    return reply.code(401).send()
  const { entry } = JSON.parse(request.body)
  const values = entry.flatMap(({ changes }) => changes.map(({ value }) => value))
  const jobs = values.flatMap((value) => [
    ...(value.messages ?? []).map((message) => received(value, message)),
    ...(value.calls ?? []).flatMap((call) => called(value, call)),
  ])
  // The provider's id is the job's: a repeated webhook is one job while the first is remembered.
  const added = jobs.map(({ id, body }) => ({
    name: 'deliver',
    data: JSON.stringify(body),
    opts: { ...options, jobId: id, backoff: { type: 'custom' } },
  }))
  if (added.length === 1) await queue.add(added[0].name, added[0].data, added[0].opts)
  else if (added.length > 1) await queue.addBulk(added)
  return reply.code(200).send()
})

const envelope = (event, data) => ({ event, sentAt: new Date().toISOString(), data })

const received = ({ contacts, metadata }, { id, from, type, text }) => {
  const data = {
    messageId: id,
    conversationId: `${metadata.phone_number_id}.${from}`,
    text: text?.body ?? '',
  }
  const parties = {
    from,
    fromName: contacts?.[0]?.profile?.name ?? null,
    to: `+${metadata.display_phone_number}`,
  }
  return { id, body: envelope('message.received', { ...data, ...parties, type: type.toUpperCase() }) }
}

function called({ contacts, metadata }, { id, from, event, session }) {
  const isOver = event === 'terminate'
  const call = {
    wacid: id,
    direction: 'INBOUND',
    status: isOver ? 'MISSED' : 'RINGING',
    conversationId: `${metadata.phone_number_id}.${from}`,
    durationSeconds: null,
  }
  const occurredAt = new Date().toISOString()
  const status = envelope('call.status', { callId: id, ...call, contactWaId: from, occurredAt })
  const jobs = [{ id: `${id}.${call.status}`, body: status }]
  if (isOver) return jobs
  const parties = {
    from,
    fromName: contacts?.[0]?.profile?.name ?? null,
    to: `+${metadata.display_phone_number}`,
  }
  const shown = { id, ...call, ...parties, phoneNumberId: metadata.phone_number_id }
  const ringing = {
    event: 'call.ringing',
    channel: 'CHAT',
    call: { ...shown, session: { sdpType: session.sdp_type, sdp: session.sdp } },
  }
  return [{ id: `${id}.ring`, body: ringing }, ...jobs]
}

await app.listen({ host: '127.0.0.1', port: 0 })
process.send({ port: app.server.address().port })
process.once('disconnect', () => process.exit(0))
