// A campaign that runs while Postgres is put back to an older state.
import assert from 'node:assert/strict'
import { ok } from '../../e2e/clients.ts'
import { campaign } from '../../e2e/hostile-campaigns.ts'
import { eventually } from '../../e2e/scene.ts'
import type { Cluster } from './cluster.ts'

/** More than it writes to until the end of the row. */
const RECIPIENTS = 400
const PER_SECOND = 10
const PREFIX = '1556'

const numberOf = (index: number): string => `+${PREFIX}${String(index).padStart(5, '0')}55`

export interface RunningCampaign {
  /** It has paused, and the provider was asked for nobody twice. */
  assertPaused(): Promise<void>
}

/** Resolves when it has written to somebody. */
export async function runCampaign(cluster: Cluster): Promise<RunningCampaign> {
  const { stack, api } = cluster
  const { id } = await ok(api.post('/campaigns', { ...campaign, messagesPerSecond: PER_SECOND }), 201)
  const recipients = Array.from({ length: RECIPIENTS }, (_, index) => ({ to: numberOf(index) }))
  await ok(api.post(`/campaigns/${id}/recipients`, { recipients }))
  await ok(api.post(`/campaigns/${id}/start`))
  const asked = async () => {
    const { data } = (await stack.sim.get('/requests?limit=10000')).body
    return data.flatMap(({ method, body }: { method: string; body?: { to?: string } }) =>
      method === 'POST' && body?.to?.replace('+', '').startsWith(PREFIX) ? [body.to] : [],
    ) as string[]
  }
  await eventually('the campaign sends', async () => (await asked()).length > 0)
  return {
    async assertPaused() {
      const before = await asked()
      await eventually('the campaign pauses', async () => {
        const { status, pauseReason } = (await stack.api.get(`/campaigns/${id}`)).body
        return status === 'PAUSED' && pauseReason === 'DATABASE_RESTORED'
      })
      const all = await asked()
      assert.ok(before.length > PER_SECOND, 'it has written while the copy grew old')
      assert.equal(new Set(all).size, all.length, 'recipients that the provider was asked for twice')
    },
  }
}
