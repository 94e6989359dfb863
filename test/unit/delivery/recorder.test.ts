import assert from 'node:assert/strict'
import { createRecorder, type EndpointCount } from '../../../src/delivery/recorder.ts'
import { settleAttempt } from '../../../src/delivery/settle-attempt.ts'
import { describe, test } from '../../support/harness.ts'
import { failed, https, item } from './endpoint-driver.ts'

const endpoint = https()
const record = (delayMs = 1) =>
  settleAttempt(
    endpoint,
    { item: item(), report: failed, endedAt: new Date(0), isCounted: true },
    { retryDelaysMs: [delayMs], random: () => 0 },
  )

/** The events that the recorder reports when the store returns this count. */
async function saidOf(count: Omit<EndpointCount, 'id'>): Promise<string[]> {
  const said: string[] = []
  const recorder = createRecorder({
    now: () => 0,
    record: async () => ({ retries: [], endpoints: [{ id: endpoint.id, ...count }] }),
    scheduleRetries: () => undefined,
    recorded: (_id, ids, enabled) => said.push(`recorded ${ids.length} ${enabled ? 'on' : 'off'}`),
    warn: (event) => said.push(event),
  })
  recorder.add(record())
  await recorder.drain()
  return said
}

const on = (failuresBefore: number, consecutiveFailures: number) =>
  saidOf({ enabled: true, switchedOff: false, failuresBefore, consecutiveFailures })

describe('the recorder', () => {
  test('warns at 10, 14 and 18 failures in a row, and at no other count', async () => {
    for (let count = 1; count < 20; count += 1) {
      const warned = (await on(count - 1, count)).includes('endpoint.failing')
      assert.equal(warned, [10, 14, 18].includes(count), `${count}`)
    }
  })

  test('warns once where several failures of one batch pass the mark', async () => {
    assert.deepEqual(await on(8, 12), ['recorded 1 on', 'endpoint.failing'])
    assert.deepEqual(await on(9, 19), ['recorded 1 on', 'endpoint.failing'])
    assert.deepEqual(await on(10, 13), ['recorded 1 on'])
  })

  test('counts the delay from the failure, however long its result waited, and never makes it early', async () => {
    const written = async (agoMs: number): Promise<number> => {
      let delayMs = Number.NaN
      const recorder = createRecorder({
        now: () => agoMs,
        record: async ([first]) => {
          delayMs = first?.verdict.type === 'retry' ? first.verdict.delayMs : Number.NaN
          return { retries: [], endpoints: [] }
        },
        scheduleRetries: () => undefined,
        recorded: () => undefined,
        warn: () => undefined,
      })
      recorder.add(record(10_000))
      await recorder.drain()
      return delayMs
    }
    assert.equal(await written(0), 10_000)
    assert.equal(await written(-5_000), 10_000)
    assert.equal(await written(4_002), 6_000)
    assert.equal(await written(30_000), 0)
  })

  test('keeps a result while Postgres is locked, slow or away, and drops only one that it refuses', async () => {
    const outcomeOf = async (codes: readonly string[]) => {
      const said: string[] = []
      const left = [...codes]
      const recorder = createRecorder(
        {
          now: () => 0,
          record: async () => {
            const code = left.shift()
            if (code !== undefined) throw Object.assign(new Error('not written'), { code })
            return { retries: [], endpoints: [] }
          },
          scheduleRetries: () => undefined,
          recorded: (id, ids) => said.push(`recorded ${ids.length}, ${recorder.unwritten(id).length} wait`),
          warn: (event) => said.push(event),
        },
        { giveUpAfterMs: 0 },
      )
      recorder.add(record())
      assert.equal(recorder.unwritten(endpoint.id).length, 1)
      await recorder.drain()
      return said
    }
    const written = ['recorded 1, 0 wait']
    assert.deepEqual(await outcomeOf(['55P03', '57014', 'CONNECTION_CLOSED']), written)
    assert.deepEqual(await outcomeOf(['22P05']), ['attempt.record_failed', ...written])
  })

  test('gives up at once when this process has closed its pool', async () => {
    const said: string[] = []
    const closed = new Promise<void>((resolve) => {
      const recorder = createRecorder({
        now: () => 0,
        record: () => Promise.reject(Object.assign(new Error('closed'), { code: 'CONNECTION_ENDED' })),
        scheduleRetries: () => undefined,
        recorded: () => resolve(),
        warn: (event) => said.push(event),
      })
      recorder.add(record())
    })
    await closed
    assert.deepEqual(said, ['attempt.record_failed'])
  })

  test('says that an endpoint was switched off where it was, and tells its owner in either case', async () => {
    const off = { enabled: false, failuresBefore: 19, consecutiveFailures: 20 }
    assert.deepEqual(await saidOf({ ...off, switchedOff: true }), ['recorded 1 off', 'endpoint.switched_off'])
    assert.deepEqual(await saidOf({ ...off, switchedOff: false }), ['recorded 1 off'])
  })
})
