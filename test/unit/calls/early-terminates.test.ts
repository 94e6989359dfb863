import assert from 'node:assert/strict'
import { createEarlyTerminates } from '../../../src/calls/early-terminates.ts'
import { AppError } from '../../../src/contract/errors.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { startMs, timing } from './driver.ts'

const end = { durationSeconds: null, error: null, toldAt: new Date(startMs), endedAt: new Date(startMs) }
const id = newId('call')

/** Looks, after which `failing` and `refusing` are the errors of Postgres and of the owner, in their order. */
function looking({ failing = [], refusing = [] }: { failing?: Error[]; refusing?: Error[] }) {
  const clock = new SimulatedClock(startMs)
  const told: string[] = []
  const warned: string[] = []
  const thrown = (errors: Error[]) => {
    const error = errors.shift()
    if (error) throw error
  }
  const over = createEarlyTerminates({
    ledger: {
      earlyTerminateSoon: async () => {
        thrown(failing)
        return end
      },
    },
    tell: async (_id, { type }) => {
      thrown(refusing)
      told.push(type)
    },
    clock,
    timing,
    log: { warn: (_facts: object, name: string) => void warned.push(name) },
  })(id, 'wacid.1')
  return { clock, told, warned, over, failing }
}

const away = () => Object.assign(new Error('no connection'), { code: 'ECONNRESET' })
const noOwner = () => new AppError('UNAVAILABLE', 'no owner')

describe('the look for an early terminate that an insert could not see', () => {
  test('is repeated where Postgres does not answer, and where no owner takes the end', async () => {
    const { clock, told, warned, over } = looking({ failing: [away(), away()], refusing: [noOwner()] })
    await clock.advance(250 + 500 + 999)
    assert.deepEqual(told, [])
    await clock.advance(1)
    await over
    assert.deepEqual([told, warned], [['providerTerminate'], []])
  })

  test('is given up when the call is over anyway, or this process leaves', async () => {
    const lasting = looking({ failing: Array.from({ length: 100 }, away) })
    await lasting.clock.advance(timing.ringTimeoutMs + 5_000)
    await lasting.over
    assert.deepEqual([lasting.told, lasting.warned], [[], ['call.tombstone_check_failed']])
    const closed = Object.assign(new Error('closed'), { code: 'CONNECTION_ENDED' })
    const leaving = looking({ failing: [closed] })
    await leaving.over
    assert.deepEqual([leaving.told, leaving.warned.length], [[], 1])
  })
})
