import * as v from 'valibot'
import { callFromHandset, endCall } from './call.ts'
import { digitsOf } from './ids.ts'
import { deliverFromHandset } from './inbound.ts'
import type { BusinessNumber } from './model.ts'
import { handsetOf, type World } from './world.ts'

const TICK_MS = 2
const LARGEST_RUN = 500_000

export const LoadBody = v.pipe(
  v.strictObject({
    kind: v.picklist(['calls', 'texts']),
    to: v.string(),
    /** Number of the first handset. The others have the numbers after it. */
    from: v.pipe(v.string(), v.regex(/^\+?\d{5,15}$/, 'must be a phone number')),
    handsets: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)), 1),
    rate: v.pipe(v.number(), v.minValue(0.1), v.maxValue(10_000)),
    seconds: v.pipe(v.number(), v.minValue(0.1), v.maxValue(3600)),
    media: v.optional(v.picklist(['template', 'real']), 'template'),
    text: v.optional(v.string(), 'load'),
    /** The handset ends each call after this time. Without it, calls ring out. */
    hangUpAfterMs: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(600_000))),
  }),
  v.check(({ rate, seconds }) => rate * seconds <= LARGEST_RUN, `at most ${LARGEST_RUN} in one run`),
)
type Load = v.InferOutput<typeof LoadBody>

export type LoadSummary = {
  sent: number
  startedNs: string
  /** Ids (wamid or wacid) with planned times on this machine's monotonic clock, in the order of sending. */
  items: { id: string; scheduledNs: string }[]
}

/** Open loop: sends each item at its planned time without waiting for earlier ones. */
export async function runLoad(world: World, number: BusinessNumber, load: Load): Promise<LoadSummary> {
  const { generation } = world
  const total = Math.floor(load.rate * load.seconds)
  const startNs = process.hrtime.bigint()
  const gapNs = 1e9 / load.rate
  const items: LoadSummary['items'] = []
  const planned = (index: number) => startNs + BigInt(Math.round(index * gapNs))
  const waiting: Promise<void>[] = []
  for (let index = 0; index < total && generation === world.generation; ) {
    while (index < total && planned(index) <= process.hrtime.bigint()) {
      waiting.push(sendOne(world, number, load, { index, scheduledNs: planned(index), items }))
      index += 1
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  await Promise.all(waiting)
  return { sent: items.length, startedNs: String(startNs), items }
}

type Item = Readonly<{ index: number; scheduledNs: bigint; items: LoadSummary['items'] }>

async function sendOne(
  world: World,
  number: BusinessNumber,
  load: Load,
  { index, scheduledNs, items }: Item,
): Promise<void> {
  const handset = handsetOf(world, String(BigInt(digitsOf(load.from)) + BigInt(index % load.handsets)))
  const planned = String(scheduledNs)
  if (load.kind === 'texts') {
    const text = `${load.text} ${index}`
    const content = { body: text }
    const id = deliverFromHandset(world, number, handset, { type: 'text', content, text, scheduledNs })
    items.push({ id, scheduledNs: planned })
    return
  }
  const call = await callFromHandset(world, { number, handset, media: load.media, scheduledNs })
  items.push({ id: call.wacid, scheduledNs: planned })
  if (load.hangUpAfterMs === undefined) return
  world.timers.later(load.hangUpAfterMs, () => void endCall(world, call, 'hung-up-by-handset'))
}
