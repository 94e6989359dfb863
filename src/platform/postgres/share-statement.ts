// One statement for what one turn of the event loop brings, or what arrives while others run: many requests then share a
// round trip, a plan and a commit. What arrives alone has a statement of its own, which costs less for one.

import { BatcherFull } from '../../shared/batcher.ts'
import { isOutage } from '../../shared/outage.ts'
import type { Fragment, Sql } from './sql.ts'

export interface SharedStatementOptions<Item, Result> {
  /** For one item. May wait for locks of others. */
  readonly one: (item: Item) => Promise<Result>
  /**
   * For one item or more, all or none, without a wait. The results are in the order of the items, undefined where
   * others have locked the row.
   */
  readonly now: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Statements at the same time. */
  readonly width: number
  readonly maxItems: number
  /** Limit of waiting items. Beyond it, they are refused with BatcherFull. */
  readonly maxWaiting: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Each item gets its own result or error: a row that others have locked, or that makes the statement fail, gets a
 * statement of its own, and holds up no other item.
 */
export function shareStatement<Item, Result>(
  options: SharedStatementOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { one, now, width, maxItems, maxWaiting } = options
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  let isGathering = false

  const alone = ({ item, resolve }: Waiting<Item, Result>) => resolve(one(item))

  const settle = (each: Waiting<Item, Result>, result: Result | undefined) =>
    result === undefined ? alone(each) : each.resolve(result)

  async function run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await now(batch.map(({ item }) => item))
      for (const [index, each] of batch.entries()) settle(each, results[index])
    } catch (error) {
      // After an outage the outcome is unknown: whoever asked reads what is committed.
      const isFinal = batch.length === 1 || isOutage(error)
      for (const each of batch) isFinal ? each.reject(error) : alone(each)
    }
  }

  function start(): void {
    while (running < width && waiting.length > 0) {
      running += 1
      void run(waiting.splice(0, maxItems)).finally(() => {
        running -= 1
        start()
      })
    }
  }

  // Not at once: of what arrived together the first would go alone.
  function gather(): void {
    if (isGathering || running >= width) return
    isGathering = true
    setImmediate(() => {
      isGathering = false
      start()
    })
  }

  return (item) => {
    if (waiting.length >= maxWaiting) return Promise.reject(new BatcherFull())
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      gather()
    })
  }
}

/** To be put behind `for update` and the like, or nothing. */
export const skipLocked = (sql: Sql): Fragment => sql`skip locked` as unknown as Fragment
export const none = (sql: Sql): Fragment => sql`` as unknown as Fragment
