// Waits until the system has done everything that the load gave it.
import { type Json, ok } from '../../e2e/clients.ts'
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

export async function settled(cluster: Cluster): Promise<void> {
  const { sim, sql } = cluster.stack
  await eventually(
    'the provider is answered',
    async () => (await ok(sim.get('/health'))).pendingWebhooks === 0,
    SETTLED_MS,
  )
  await switchOn(cluster)
  await eventually(
    'nothing waits to be delivered or sent',
    async () => {
      const [row] = await sql<[Json]>`
        select
          (select count(*)::int from deliveries where state in ('PENDING', 'RETRYING')) as deliveries,
          (select count(*)::int from messages where send_state = 'PENDING') as sends`
      return row.deliveries === 0 && row.sends === 0
    },
    SETTLED_MS,
  )
}
