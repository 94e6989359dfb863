// The response to adding recipients: one line per row, or a summary.
import type { RowVerdict } from '../campaigns/add-recipients.ts'

interface InvalidRow {
  readonly index: number
  readonly to: string
  readonly message: string
}

class Tally {
  readonly #counts = { added: 0, duplicate: 0, skipped: 0, invalid: 0 }

  count(verdicts: readonly RowVerdict[]): void {
    for (const { verdict } of verdicts) this.#counts[verdict] += 1
  }

  get sums() {
    const { added, duplicate, skipped, invalid } = this.#counts
    return { added, duplicates: duplicate, skipped, invalid }
  }
}

/** Yields the verdicts batch by batch, then one summary. */
export async function* verdictLines(
  verdicts: AsyncIterable<readonly RowVerdict[]>,
): AsyncGenerator<readonly unknown[]> {
  const tally = new Tally()
  for await (const batch of verdicts) {
    tally.count(batch)
    yield batch
  }
  yield [{ summary: tally.sums }]
}

export async function additionOf(verdicts: AsyncIterable<readonly RowVerdict[]>, invalidRowsListed: number) {
  const tally = new Tally()
  const invalid: InvalidRow[] = []
  for await (const batch of verdicts) {
    tally.count(batch)
    for (const { index, to, message } of batch)
      if (message !== undefined && invalid.length < invalidRowsListed) invalid.push({ index, to, message })
  }
  const { invalid: invalidCount, ...sums } = tally.sums
  return { ...sums, invalid, invalidCount }
}

/** Reads the first item of `source` now. An error there can still set the HTTP status; a later one cannot. */
export async function begun<T>(source: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  let first: IteratorResult<T> | undefined = await source.next()
  const iterator: AsyncIterator<T> = {
    async next() {
      const step = first ?? (await source.next())
      first = undefined
      return step
    },
    return: () => source.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
