// Keeps the entries of live actors in the ownership directory: others find an actor only there, and whoever finds
// no entry takes the actor over.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { DropReason } from './cell.ts'
import type { Claim } from './ownership.ts'

interface Claimed {
  readonly id: string
  readonly epoch: number
  readonly hasEnded: boolean
  drop(reason: DropReason): void
}

export interface ClaimsOptions<Cell extends Claimed> {
  readonly clock: Clock
  /** May change while it is gone through. */
  readonly cells: () => Iterable<Cell>
  readonly claim: (id: string) => Promise<Claim>
  readonly recordEpoch: (id: string, epoch: number) => void
}

export interface Claims<Cell> {
  /** A new incarnation, and what the directory said or will say of it. */
  announce(cell: Cell, claim: Claim | Promise<Claim>): void
  /** Claims every actor again, over time. */
  claimAgain(): void
  stop(): void
}

/** A third of the shortest TTL of a directory entry. */
const renewEveryMs = 300_000
/** Claims of one step: 200 a second, so that a lost session does not cause a burst. */
const renewStepMs = 100
const renewalsPerStep = 20
/** Soon: until the directory has answered, another process that gets a message takes the actor over. */
const repeatMs = 250
/** As many as share a script: while the directory is away, a step costs one failed request. */
const repeatsPerStep = 100

export function keepClaimed<Cell extends Claimed>(options: ClaimsOptions<Cell>): Claims<Cell> {
  const { clock, recordEpoch } = options
  const repeats = repeater<Cell>(clock, (cell) => announce(cell, options.claim(cell.id)))
  let renewing: Timer
  let due: Cell[] = []

  function isOurs(cell: Cell, claim: Claim): boolean {
    if (cell.hasEnded) return false
    if (claim.type === 'theirs') cell.drop('foreign')
    if (claim.type === 'unavailable') repeats.add(cell)
    return claim.type === 'mine'
  }
  async function announce(cell: Cell, claim: Claim | Promise<Claim>): Promise<void> {
    if (isOurs(cell, await claim)) recordEpoch(cell.id, cell.epoch)
  }
  async function renew(cell: Cell): Promise<void> {
    if (!cell.hasEnded) isOurs(cell, await options.claim(cell.id))
  }
  const step = () => {
    if (due.length > 0) renewing = clock.after(renewStepMs, step)
    else renewing = clock.after(renewEveryMs, claimAgain)
    for (const cell of due.splice(0, renewalsPerStep)) void renew(cell)
  }
  const claimAgain = () => {
    renewing.cancel()
    due = shuffled([...options.cells()])
    step()
  }
  renewing = clock.after(renewEveryMs, claimAgain)
  return {
    announce: (cell, claim) => void announce(cell, claim),
    claimAgain,
    stop() {
      renewing.cancel()
      repeats.stop()
    },
  }
}

/**
 * The claims that got no answer. One that gets none again goes to the end. A step waits for the one before: while the
 * directory hangs, the claims of new actors must not stand behind all of these.
 */
function repeater<Cell extends Claimed>(clock: Clock, claim: (cell: Cell) => Promise<void>) {
  const waiting = new Set<Cell>()
  let timer: Timer | undefined
  let isClaiming = false
  let hasStopped = false
  const next = () => {
    if (waiting.size > 0 && !isClaiming && !hasStopped) timer ??= clock.after(repeatMs, () => void step())
  }
  const step = async () => {
    timer = undefined
    isClaiming = true
    await Promise.all(taken().map(claim))
    isClaiming = false
    next()
  }
  function taken(): Cell[] {
    const cells: Cell[] = []
    for (const cell of waiting) {
      if (cells.length === repeatsPerStep) break
      waiting.delete(cell)
      if (!cell.hasEnded) cells.push(cell)
    }
    return cells
  }
  return {
    add(cell: Cell) {
      waiting.add(cell)
      next()
    },
    stop() {
      hasStopped = true
      timer?.cancel()
    },
  }
}

// Nodes that lost their sessions at the same time would otherwise claim in the same order.
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
