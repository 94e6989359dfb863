// The worker process: delivers events and carries out sends.
import { openDatabase, statement } from './database.js'
import { deliver } from './deliver.js'
import { openQueue, work } from './queues.js'
import { carryOut } from './sends.js'
import { settings } from './settings.js'

const findDelivery = statement(
  'find_delivery',
  `select d.state, e.body, p.url, p.secret
   from deliveries d
   join events e on e.id = d.event_id
   join endpoints p on p.id = d.endpoint_id
   where d.id = $1`,
)
const findEndpoint = statement('find_endpoint', 'select url, secret from endpoints where id = $1')
const noteAttempt = statement(
  'note_attempt',
  `with attempt as (
     insert into attempts (delivery_id, status, error, started_at, duration_ms) values ($1, $2, $3, $4, $5)
   )
   update deliveries
   set attempts = attempts + 1,
     state = case when $3::text is null then 'DELIVERED' else state end,
     delivered_at = case when $3::text is null then now() end
   where id = $1`,
)
const forgotten = statement(
  'forgotten',
  `select id from deliveries
   where state = 'PENDING' and attempts = 0 and created_at < now() - interval '30 seconds'
   order by created_at
   limit 1000`,
)

const database = openDatabase(settings.databaseUrl)
const queue = await openQueue(settings)

async function deliverEvent({ deliveryId }) {
  const [delivery] = await findDelivery(database.pool, [deliveryId])
  if (delivery?.state !== 'PENDING') return
  const [startedAt, from] = [new Date(), performance.now()]
  const note = (status, error) =>
    noteAttempt(database.pool, [deliveryId, status, error, startedAt, performance.now() - from])
  try {
    await note(await deliver(delivery, delivery.body), null)
  } catch (error) {
    await note(error.response?.status ?? null, String(error))
    throw error
  }
}

/** A ringing call: no row and no repetition. */
async function forward({ endpointId, body }) {
  const [endpoint] = await findEndpoint(database.pool, [endpointId])
  await deliver(endpoint, body).catch((error) => process.stderr.write(`${error}\n`))
}

await work(settings, {
  deliver: deliverEvent,
  ring: forward,
  send: (data) => carryOut(database, queue, settings, data),
})

// A crash between commit and job loses the job: what nobody has tried is put into the queue once more.
if (queue.addAfter) {
  setInterval(async () => {
    const rows = await forgotten(database.pool, [])
    await queue.addAfter(rows.map(({ id }) => ({ name: 'deliver', data: { deliveryId: id } })))
  }, 30_000)
}
process.send({ ready: true })
process.once('disconnect', () => process.exit(0))
