// The faults: how each is done, for how long, and what is not promised while it lasts.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Rates } from './load.ts'

/** What a fault may cause. Everything else that is checked must be nought in every row. */
export type Allowance =
  /** The holder of the old socket is frozen or cannot be heard, so its end is not seen. */
  'two sockets open' | 'silent calls' | 'failed sends' | 'order breaks' | 'lost events'

export interface Row {
  readonly name: string
  /** Whether `npm run test:full` runs it. */
  readonly isQuick?: true
  readonly allows: readonly Allowance[]
  readonly env?: Readonly<Record<string, string>>
  /** How often HAProxy tries another gateway when it cannot connect. Default 2. */
  readonly retries?: number
  readonly rates?: Rates
  /** Does the harm and undoes it. Returns when the system had no more harm to bear, if that is not at the end. */
  readonly harm: (cluster: Cluster) => Promise<unknown>
}

const SECOND = 1_000

export const rows: readonly Row[] = [
  {
    name: 'owner-frozen-8s',
    isQuick: true,
    allows: ['two sockets open', 'silent calls', 'failed sends'],
    harm: async (cluster) => {
      const thaw = await cluster.freeze(cluster.pid(await cluster.owner()))
      await sleep(8 * SECOND)
      await thaw()
    },
  },
]
