import type { DrillName } from '../harness/options.ts'
import { backlog } from './backlog.ts'
import type { Drill } from './bench.ts'
import { campaign } from './campaign.ts'
import { coldStart } from './cold-start.ts'
import { deadNeighbours, retryStorm } from './neighbours.ts'
import { soak } from './soak.ts'
import { idleSockets } from './sockets.ts'

export const drills: Readonly<Record<DrillName, Drill>> = {
  campaign,
  'retry-storm': retryStorm,
  'dead-neighbours': deadNeighbours,
  'idle-sockets': idleSockets,
  backlog,
  'cold-start': coldStart,
  soak,
}
