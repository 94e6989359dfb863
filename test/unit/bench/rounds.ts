import { encode, histogramOf } from '../../../bench/harness/histogram.ts'
import type { Result, Round, Row } from '../../../bench/harness/result.ts'

/** Enough for a p99 in one round. */
const micros = Array.from({ length: 1_500 }, (_, index) => 1_000 * (1 + (index % 3)))

export const roundOf = (round: number, cpu: number | null): Round => ({
  round,
  latency: encode(histogramOf(micros)),
  fromPlan: encode(histogramOf(micros)),
  count: micros.length,
  perSecond: 200,
  cpu: { gateway: null, postgres: null, redis: null, worker: null, all: cpu },
  walBytes: null,
  others: null,
  errors: { refused: 0, lost: 0, duplicated: 0, strange: 0 },
})

export const resultOf = (rows: readonly Row[]): Result => ({
  version: 3,
  startedAt: '2026-11-22T00:00:00.000Z',
  commit: null,
  environment: {
    ...{ cpu: 'Fast', cores: 2, memoryBytes: 4 * 2 ** 30, kernel: '6.1', node: 'v20' },
    ...{ postgres: '18.4', redis: null, governor: null, load: [] },
  },
  options: {},
  rows,
})
