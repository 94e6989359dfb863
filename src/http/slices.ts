// Many small things in slices, with a look at whatever else the process has to do between two of them.
import { setImmediate } from 'node:timers/promises'

const itemsAtOnce = 250

/** What `groups` hold, at most so many at once; what is there is not held back to fill a slice. */
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
