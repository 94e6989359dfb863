// Yields many small items in slices, and lets the event loop run between two slices.
import { setImmediate } from 'node:timers/promises'

const itemsAtOnce = 250

/** Yields the items of `groups` in slices of at most 250. Does not wait for more items to fill a slice. */
export async function* inSlices<Item>(
  groups: AsyncIterable<Iterable<Item>> | Iterable<Iterable<Item>>,
): AsyncGenerator<readonly Item[]> {
  for await (const group of groups) {
    let slice: Item[] = []
    for (const item of group) {
      slice.push(item)
      if (slice.length < itemsAtOnce) continue
      yield slice
      slice = []
      await setImmediate()
    }
    if (slice.length > 0) yield slice
  }
}
