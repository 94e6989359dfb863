// Workload files: how much of which work comes at once.
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import type { WorkName } from './opponents.ts'

const rate = (most: number) => v.pipe(v.number(), v.minValue(0.1), v.maxValue(most))
const part = (mostBytes: number) =>
  v.strictObject({
    perSecond: rate(20_000),
    bytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(mostBytes))),
  })

const Workload = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.regex(/^[\w-]{1,60}$/, 'letters, digits, - and _')),
    /** Texts in, over the socket of their endpoint or over HTTPS; bytes of the text. */
    texts: v.optional(part(4_096)),
    httpsTexts: v.optional(part(4_096)),
    /** Calls in; bytes of the offer. */
    calls: v.optional(part(16_384)),
    /** Messages sent by API; bytes of the text. */
    sends: v.optional(part(4_096)),
    /** Endpoints over a socket, which take turns. */
    endpoints: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20_000)), 1),
    seconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_600)), 10),
  }),
  v.check(
    ({ texts, httpsTexts, calls, sends }) => Boolean(texts ?? httpsTexts ?? calls ?? sends),
    'has no work',
  ),
)

export interface WorkloadPart {
  readonly work: WorkName
  readonly perSecond: number
  readonly bytes?: number
}

export interface Workload {
  readonly name: string
  readonly parts: readonly WorkloadPart[]
  readonly endpoints: number
  readonly seconds: number
}

/** Throws an error that names every wrong field. */
export function parseWorkload(given: unknown): Workload {
  const result = v.safeParse(Workload, given)
  if (!result.success) {
    const wrong = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'the workload'}: ${issue.message}`)
    throw new Error(wrong.join('; '))
  }
  const { name, endpoints, seconds, ...kinds } = result.output
  const parts = (
    [
      ['event', kinds.texts],
      ['event-https', kinds.httpsTexts],
      ['ringing', kinds.calls],
      ['send', kinds.sends],
    ] as const
  ).flatMap(([work, one]): WorkloadPart[] =>
    one ? [{ work, perSecond: one.perSecond, ...(one.bytes !== undefined && { bytes: one.bytes }) }] : [],
  )
  return { name, parts, endpoints, seconds }
}

export function readWorkload(path: string): Workload {
  try {
    return parseWorkload(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
