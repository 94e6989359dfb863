// Asks Postgres whether the epochs of actors are still current: for one that waits, and for many in advance.
import { Batcher } from '../../shared/batcher.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Owned } from './actor.ts'
import { type Instant, readClock } from './guard.ts'
import { within } from './timed.ts'

export type Standing =
  /** `asked`: the clock before the query was sent. */
  | { readonly type: 'confirmed'; readonly asked: Instant }
  /** Somebody else has it now, or its row is gone. */
  | { readonly type: 'foreign' | 'gone' }
  | { readonly type: 'unknown' }

export type Confirm = (owned: Owned) => Promise<Standing>

export interface Confirmed extends Owned {
  heed(standing: Standing): void
}

export interface Confirmer {
  /** Those that ask at the same time share a query. Never rejects. */
  readonly confirm: Confirm
  /** Tells each how it stands, in its time. */
  readonly confirmAll: (actors: readonly Confirmed[]) => void
}

/** The actors that have another epoch. */
type Query = (owned: readonly Owned[]) => Promise<ReadonlyMap<string, number | undefined>>

/** How an actor stands. Never rejects. */
type Ask = (owned: readonly Owned[]) => Promise<(one: Owned) => Standing>

const unknown: Standing = { type: 'unknown' }
const foreign: Standing = { type: 'foreign' }
const gone: Standing = { type: 'gone' }
const queryLimitMs = 2_000
const mostOfQuery = 2_000
/** A hanging query must not block the next one. */
const queriesAtOnce = 3

export function createConfirmer(query: Query, clock: Clock): Confirmer {
  const ask: Ask = async (owned) => {
    const asked = readClock(clock)
    const outcome = await within(clock, queryLimitMs, () => query(owned))
    if (outcome.type !== 'done') return () => unknown
    const { value: others } = outcome
    // Thousands are told this each second: they share one object.
    const confirmed: Standing = { type: 'confirmed', asked }
    if (others.size === 0) return () => confirmed
    return ({ id, epoch }) => {
      // The query may have asked of two incarnations, and found that of the younger one.
      if (!others.has(id) || others.get(id) === epoch) return confirmed
      return others.get(id) === undefined ? gone : foreign
    }
  }
  const batcher = new Batcher<Owned, Standing>({
    maxItems: mostOfQuery,
    maxWaiting: 100_000,
    concurrency: queriesAtOnce,
    flush: async (owned) => owned.map(await ask(owned)),
  })
  return {
    confirm: (owned) => batcher.add(owned).catch(() => unknown),
    confirmAll: createConfirmAll(ask),
  }
}

/** Without a promise for each actor: a gateway with thousands of quiet sockets does little else. */
function createConfirmAll(ask: Ask): Confirmer['confirmAll'] {
  /** Each of them once, however long Postgres takes. */
  const waiting = new Set<Confirmed>()
  let running = 0

  function take(): Confirmed[] {
    const taken: Confirmed[] = []
    for (const actor of waiting) {
      if (taken.length === mostOfQuery) break
      waiting.delete(actor)
      taken.push(actor)
    }
    return taken
  }
  async function run(actors: readonly Confirmed[]): Promise<void> {
    running += 1
    const standing = await ask(actors)
    running -= 1
    for (const actor of actors) actor.heed(standing(actor))
    if (waiting.size > 0) void run(take())
  }
  return (actors) => {
    const isFree = running < queriesAtOnce
    // As a rule the last query is over: to keep thousands in a set and to take them out again would be half of the work.
    if (isFree && waiting.size === 0 && actors.length <= mostOfQuery) return void run(actors)
    for (const actor of actors) waiting.add(actor)
    if (isFree) void run(take())
  }
}
