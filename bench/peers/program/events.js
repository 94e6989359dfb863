// Events and the jobs that deliver them.
import { statement } from './database.js'

const insertEvent = statement(
  'insert_event',
  `with event as (insert into events (kind, body) values ($1, $2) returning id)
   insert into deliveries (event_id, endpoint_id) select id, $3 from event
   returning id`,
)

/** Writes the event with its delivery, and returns the job; none where nobody listens. */
export async function emit(client, endpointId, kind, data) {
  if (endpointId === null) return []
  const body = JSON.stringify({ event: kind, sentAt: new Date().toISOString(), data })
  const [delivery] = await insertEvent(client, [kind, body, endpointId])
  return [{ name: 'deliver', data: { deliveryId: delivery.id } }]
}
