import assert from 'node:assert/strict'
import { startDrainTime } from '../../../src/platform/process/drain-time.ts'
import { drainWorker, type WorkerParts } from '../../../workers/drain.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const never = new Promise<never>(() => undefined)
const noLog = { warn: () => undefined }

/** A worker of which each part ends when it is told to, and what it was asked for. */
function worker(over: Partial<WorkerParts> = {}) {
  const asked: string[] = []
  const part = (name: string) => async () => void asked.push(name)
  const parts: WorkerParts = {
    loops: [{ stop: part('loop') }],
    campaigns: { close: part('campaigns') },
    sending: { drain: part('sending') },
    messaging: { drain: part('messaging'), media: { drain: part('media') } },
    retries: { close: part('retries') },
    probes: { close: part('probes') },
    ...over,
  }
  return { parts, asked }
}

describe('the end of a worker', () => {
  test('takes no recipients and no files any more from the first moment, however long a round lasts', async () => {
    const { parts, asked } = worker({ loops: [{ stop: () => never }] })
    const time = startDrainTime(25_000, { clock: new SimulatedClock(), log: noLog })
    void drainWorker(parts, time)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      ['campaigns', 'media', 'probes', 'retries', 'sending'].filter((name) => !asked.includes(name)),
      [],
    )
  })

  test('waits for a send that a round began while it ended', async () => {
    let endRound: () => void = () => undefined
    let endSend: () => void = () => undefined
    const sends: Promise<void>[] = []
    const stop = async () => {
      await new Promise<void>((resolve) => {
        endRound = resolve
      })
      sends.push(
        new Promise<void>((resolve) => {
          endSend = resolve
        }),
      )
    }
    const { parts } = worker({
      loops: [{ stop }],
      messaging: { drain: () => Promise.all(sends), media: { drain: async () => undefined } },
    })
    let isOver = false
    const time = startDrainTime(25_000, { clock: new SimulatedClock(), log: noLog })
    const drained = drainWorker(parts, time).then(() => {
      isOver = true
    })
    endRound()
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isOver, false)
    endSend()
    await drained
  })

  test('is over before DRAIN_TIMEOUT although nothing ends', async () => {
    const clock = new SimulatedClock()
    const hang = () => never
    const given: unknown[] = []
    const log = { warn: (fields: object) => void given.push((fields as { step: string }).step) }
    const { parts } = worker({
      loops: [{ stop: hang }],
      campaigns: { close: hang },
      sending: { drain: hang },
      messaging: { drain: hang, media: { drain: hang } },
      retries: { close: hang },
      probes: { close: hang },
    })
    let isOver = false
    void drainWorker(parts, startDrainTime(25_000, { clock, log })).then(() => {
      isOver = true
    })
    await clock.advance(24_000)
    assert.equal(isOver, true)
    assert.ok(given.includes('single sends'))
  })
})
