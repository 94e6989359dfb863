// Rounds of what runs outside of the harness of variants, in the form in which every result is kept.
import { noCpu } from './cpu.ts'
import { commitOf, readEnvironment } from './environment.ts'
import { encode, type Histogram, histogramOf, spreadOf } from './histogram.ts'
import { type Round, type Row, writeResult } from './result.ts'
import type { Servers } from './servers.ts'

const sound = { refused: 0, lost: 0, duplicated: 0, strange: 0 }

/** Of requests one after the other. */
export function plainRound(round: number, histogram: Histogram): Round {
  const encoded = encode(histogram)
  const { mean } = spreadOf(histogram)
  return {
    ...{ round, latency: encoded, fromPlan: encoded, count: histogram.totalCount, perSecond: 1e3 / mean },
    ...{ cpu: noCpu, walBytes: null, others: null, errors: sound },
  }
}

/** Of something that is counted as a whole. */
export function figuresRound(
  round: number,
  count: number,
  given: { readonly perSecond: number; readonly figures: Readonly<Record<string, number>> },
): Round {
  return { ...plainRound(round, histogramOf([])), count, ...given }
}

/** Writes bench/results/<name>.json. Returns its path. */
export async function keepResult(
  name: string,
  servers: Servers,
  { startedAt, options, rows }: { startedAt: Date; options: object; rows: readonly Row[] },
): Promise<string> {
  const environment = await readEnvironment(servers)
  return writeResult(name, {
    ...{ version: 3, startedAt: startedAt.toISOString(), commit: commitOf(), environment },
    ...{ options: { ...options }, rows },
  })
}
