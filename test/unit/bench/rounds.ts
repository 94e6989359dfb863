import { encode, histogramOf } from '../../../bench/harness/histogram.ts'
import type { Result, Round, Row } from '../../../bench/harness/result.ts'

export const roundOf = (round: number, cpu: number | null): Round => ({
  round,
  latency: encode(histogramOf([1_000, 2_000, 3_000])),
  fromPlan: encode(histogramOf([1_000, 2_000, 3_000])),
  count: 3,
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
