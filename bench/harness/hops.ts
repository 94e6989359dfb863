// Joins the marks of a gateway with what was sent and what arrived: how long each hop of a unit took.
import { request } from 'node:http'
import type { Measured } from './figures.ts'
import { encode, histogramOf } from './histogram.ts'
import type { Mark } from './marks-recorder.ts'
import type { Hops } from './result.ts'

const hopNames = ['received', 'committed', 'handedOver', 'written', 'arrived'] as const

/** Microseconds of each hop, for the units whose marks are complete. */
export type HopTimes = Readonly<Record<(typeof hopNames)[number], readonly number[]>>

/**
 * `event`: only marks of its frame count, besides `received`, which knows no event. A mark that was taken late,
 * such as that of a frame after its arrival, never makes a hop negative.
 */
export function hopTimes(measured: readonly Measured[], marks: readonly Mark[], event: string): HopTimes {
  const first = new Map<string, number>()
  for (const [name, id, kind, atNs] of marks) {
    const key = `${name} ${id}`
    if ((name === 'received' || kind === event) && !first.has(key)) first.set(key, atNs)
  }
  const times: Record<(typeof hopNames)[number], number[]> = {
    ...{ received: [], committed: [], handedOver: [], written: [], arrived: [] },
  }
  for (const { id, sentNs, atNs } of measured) {
    const marked = hopNames.slice(0, 4).map((name) => first.get(`${name} ${id}`))
    if (marked.some((one) => one === undefined)) continue
    let before = sentNs
    for (const [index, name] of hopNames.entries()) {
      const reached = Math.max(before, Math.min(marked[index] ?? atNs, atNs))
      times[name].push((reached - before) / 1e3)
      before = reached
    }
  }
  return times
}

/** Undefined where no unit has all of its marks. */
export const encodedHops = (times: HopTimes): Hops | undefined =>
  times.arrived.length === 0
    ? undefined
    : (Object.fromEntries(
        hopNames.map((name) => [name, encode(histogramOf(times[name]))]),
      ) as unknown as Hops)

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
