// Joins the marks of a gateway with what was sent and what arrived: how long each hop of a unit took.
import { request } from 'node:http'
import type { Work } from '../scenarios/work.ts'
import type { Measured } from './figures.ts'
import { encode, histogramOf } from './histogram.ts'
import type { Mark } from './marks-recorder.ts'
import type { Hops, MarkFigures, Round, Row } from './result.ts'

const hopNames = ['received', 'committed', 'handedOver', 'written', 'arrived'] as const

/** Microseconds of each hop, for the units whose marks are complete. */
export type HopTimes = Readonly<Record<(typeof hopNames)[number], readonly number[]>>

/**
 * `event`: only marks of its frame count, besides `received`, which knows no event. A mark that is out of its order makes
 * no hop negative; how many are is counted.
 */
export function hopTimes(
  measured: readonly Measured[],
  marks: readonly Mark[],
  event: string,
): { readonly times: HopTimes; readonly marks: MarkFigures } {
  // The marks of one gateway come after those of another, whose webhook may be the later one of a call.
  const first = new Map<string, number>()
  for (const [name, id, kind, atNs] of marks) {
    const key = `${name} ${id}`
    if (name === 'received' || kind === event) first.set(key, Math.min(atNs, first.get(key) ?? atNs))
  }
  const times: Record<(typeof hopNames)[number], number[]> = {
    ...{ received: [], committed: [], handedOver: [], written: [], arrived: [] },
  }
  const counts = { missing: 0, moved: 0, late: 0 }
  for (const { id, sentNs, atNs } of measured) {
    const marked = hopNames.slice(0, 4).flatMap((name) => first.get(`${name} ${id}`) ?? [])
    if (marked.length === 4)
      for (const [name, us] of hopsOfUnit([sentNs, ...marked, atNs], counts)) times[name].push(us)
    else counts.missing += 1
  }
  return { times, marks: { units: measured.length, ...counts } }
}

/** A frame is in the receiver's hands before the gateway hears that it was written: only that is no disorder. */
function hopsOfUnit(instants: readonly number[], counts: { moved: number; late: number }) {
  const arrivedNs = instants.at(-1) ?? 0
  const inTime = instants.map((atNs, index) => (index === 4 ? Math.min(atNs, arrivedNs) : atNs))
  if (inTime[4] !== instants[4]) counts.late += 1
  if (inTime.some((atNs, index) => atNs < (inTime[index - 1] ?? atNs))) counts.moved += 1
  let before = instants[0] ?? 0
  return hopNames.map((name, index) => {
    const reached = Math.max(before, Math.min(inTime[index + 1] ?? arrivedNs, arrivedNs))
    const us = (reached - before) / 1e3
    before = reached
    return [name, us] as const
  })
}

/** Beyond this share of bad marks, hops are no figures. */
const mayBeBad = 0.01

export const areMarksSound = ({ marks }: Pick<Round, 'marks'>): boolean =>
  marks === undefined || marks.missing + marks.moved <= marks.units * mayBeBad

/** Marks follow a webhook to its frame; what begins with a request of the API, or ends with an answer, has none. */
const hasHops = (measured: Work['measured'] | undefined): boolean =>
  measured === 'message.received' || measured === 'call.ringing'

/** Nothing for works without hops. */
export function hopsOf(
  measured: readonly Measured[],
  recorded: readonly Mark[],
  event: Work['measured'],
): Pick<Round, 'hops' | 'marks'> {
  if (!hasHops(event)) return {}
  const { times, marks } = hopTimes(measured, recorded, event)
  const hops = encodedHops(times)
  return { marks, ...(hops && { hops }) }
}

/** Undefined where no unit has all of its marks. */
export const encodedHops = (times: HopTimes): Hops | undefined =>
  times.arrived.length === 0
    ? undefined
    : (Object.fromEntries(
        hopNames.map((name) => [name, encode(histogramOf(times[name]))]),
      ) as unknown as Hops)

/** Names what --hops cannot show: rows of these works, and rows whose marks nobody recorded, which is a fault. */
export function withoutHops(
  rows: readonly Row[],
  measuredOf: (scenario: string) => Work['measured'] | undefined,
): { readonly none: string[]; readonly unrecorded: string[] } {
  const without = rows.filter((row) => row.variant === 'gateway' && !row.rounds.some(({ hops }) => hops))
  const named = (some: readonly Row[]) => [...new Set(some.map(({ scenario }) => scenario))]
  const isDue = ({ scenario }: Row) => hasHops(measuredOf(scenario))
  return { none: named(without.filter((row) => !isDue(row))), unrecorded: named(without.filter(isDue)) }
}

/** What a gateway has recorded at `path` since it was asked last: marks with --hops, pauses with --tail. */
export function readRecorded<Recorded>(socketPath: string, path: '/' | '/tail'): Promise<Recorded[]> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, path }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Recorded[]))
    })
    asking.on('error', reject)
    asking.end()
  })
}
