// Waits until the system has done everything that the load gave it.
import { ok } from '../../e2e/clients.ts'
import { eventually } from '../../e2e/scene.ts'
import type { Cluster } from './cluster.ts'

/** The provider waits up to ten seconds before it repeats a webhook, and the retries of a delivery a minute. */
const SETTLED_MS = 120_000

/** What an endpoint was switched off for is over: switches it on and replays what is held or failed. */
async function switchOn({ stack, targets }: Cluster): Promise<void> {
  for (const { endpoint } of targets) {
    const path = `/endpoints/${endpoint.id}`
    const { enabled } = await ok(stack.console.get(path))
    if (enabled) continue
    await ok(stack.console.post(`${path}/enable`))
    await ok(stack.console.post(`${path}/replay`, { states: ['HELD', 'FAILED'] }))
  }
}

export async function settled(cluster: Cluster, { canLose }: { canLose: boolean }): Promise<void> {
  const { sim, sql } = cluster.stack
  const answered = () =>
    eventually(
      'the provider is answered',
      async () => (await ok(sim.get('/health'))).pendingWebhooks === 0,
      SETTLED_MS,
    )
  await answered()
  await switchOn(cluster)
  // A Postgres that was restored has forgotten statuses, which nobody reports again.
  const open = canLose ? sql`false` : sql`send_state = 'ACCEPTED' and status in ('QUEUED', 'SENT')`
  await eventually(
    'nothing waits to be sent or reported',
    async () => {
      const rows = await sql`select from messages where send_state = 'PENDING' or ${open} limit 1`
      return rows.length === 0
    },
    SETTLED_MS,
  )
  // What was sent meanwhile has webhooks and deliveries of its own.
  await answered()
  await eventually(
    'nothing waits to be delivered',
    async () => {
      const rows = await sql`select from deliveries where state in ('PENDING', 'RETRYING') limit 1`
      return rows.length === 0
    },
    SETTLED_MS,
  )
}
