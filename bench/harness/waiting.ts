// Waits for what a run owes, and until an opponent has done what it does besides.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Work } from '../scenarios/work.ts'
import { isTaken } from './figures.ts'
import type { Sent } from './generator.ts'
import type { WorkName } from './opponents.ts'
import type { Arrived } from './receiver.ts'
import type { Target } from './target.ts'
import type { World } from './world.ts'

const drainTimeoutMs = 15_000
/** Nothing comes for so long: an opponent is done, unless it polls. */
const usualSettleMs = 150

export const isGateway = ({ variant }: Pick<Target, 'variant'>): boolean =>
  variant === 'gateway' || variant === 'remote'

export async function collect({ receiver }: World, count: number): Promise<Arrived[]> {
  return receiver.ask('collect', { count, timeoutMs: drainTimeoutMs })
}

/**
 * What the units of a run owe. Opponents owe only what is measured: what else they do is not counted against them, and
 * not for them, either. Nothing is owed for a unit that was refused.
 */
export function owedOf(
  begun: readonly Sent[],
  target: Pick<Target, 'variant'>,
  workOf: (name: WorkName) => Pick<Work, 'measured' | 'from' | 'further'>,
) {
  const owesAll = isGateway(target)
  const units = new Map<string, { left: number; readonly work: ReturnType<typeof workOf> }>()
  let left = 0
  for (const one of begun) {
    const work = workOf(one.work)
    const { measured, from, further } = work
    const owes = measured === 'answer' || !isTaken(one) ? 0 : 1 + (from ? 1 : 0) + (owesAll ? further : 0)
    units.set(one.id, { left: owes, work })
    left += owes
  }
  return {
    left: () => left,
    isOwn: ({ id }: Arrived): boolean => units.has(id),
    note({ event, id }: Arrived): void {
      const unit = units.get(id)
      if (!unit || unit.left === 0) return
      if (!owesAll && event !== unit.work.measured && event !== unit.work.from) return
      unit.left -= 1
      left -= 1
    },
  }
}

/** Own arrivals only; what came with them goes to `others`. */
export async function collectOwn(
  world: World,
  owed: ReturnType<typeof owedOf>,
  others: (arrived: readonly Arrived[]) => void,
): Promise<Arrived[]> {
  const own: Arrived[] = []
  const deadline = performance.now() + drainTimeoutMs
  do {
    const arrived = await collect(world, owed.left())
    for (const one of arrived) owed.note(one)
    own.push(...arrived.filter(owed.isOwn))
    others(arrived.filter((one) => !owed.isOwn(one)))
  } while (owed.left() > 0 && performance.now() < deadline)
  return own
}

/** What an opponent still does must not burden the next. */
export async function settle({ receiver }: World, { settleMs = usualSettleMs }: Target): Promise<void> {
  const deadline = performance.now() + drainTimeoutMs
  for (let [before, now] = [-1, 0]; before !== now && performance.now() < deadline; ) {
    before = now
    await sleep(settleMs)
    now = await receiver.ask('pending', null)
  }
}
