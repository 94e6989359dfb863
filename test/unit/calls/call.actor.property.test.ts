import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { CallMessage } from '../../../src/calls/call.messages.ts'
import { test } from '../../support/harness.ts'
import {
  connect,
  Drive,
  offer,
  placedRow,
  placingRow,
  ringingRow,
  sdpAnswer,
  status,
  terminate,
} from './driver.ts'

const answered = connect(placedRow(), sdpAnswer)
const error = { code: '138021', title: 'Media receive timeout' }

/** The provider's updates about one call, in the order of events, and the status that they lead to. */
const stories: readonly { readonly told: readonly CallMessage[]; readonly ends: string }[] = [
  {
    told: [answered, status('RINGING'), status('ACCEPTED'), terminate({ durationSeconds: 9 })],
    ends: 'COMPLETED',
  },
  { told: [answered, status('RINGING'), status('ACCEPTED'), terminate()], ends: 'COMPLETED' },
  {
    told: [answered, status('RINGING'), status('ACCEPTED'), terminate({ durationSeconds: 9, error })],
    ends: 'FAILED',
  },
  { told: [answered, status('RINGING'), terminate({ error })], ends: 'FAILED' },
  { told: [answered, status('RINGING'), status('ACCEPTED'), terminate({ error })], ends: 'FAILED' },
  { told: [answered, status('RINGING'), status('REJECTED'), terminate({ error })], ends: 'REJECTED' },
  { told: [answered, status('RINGING'), status('REJECTED'), terminate()], ends: 'REJECTED' },
  { told: [answered, status('RINGING'), terminate()], ends: 'NO_ANSWER' },
  { told: [answered, status('RINGING'), status('ACCEPTED')], ends: 'ACCEPTED' },
  { told: [terminate()], ends: 'NO_ANSWER' },
]

/** Every update at least once, some repeated, in any order. */
const reordered = (told: readonly CallMessage[]) =>
  fc
    .array(fc.constantFrom(...told), { maxLength: told.length * 2 })
    .chain((again) => fc.shuffledSubarray([...told, ...again], { minLength: told.length + again.length }))

function checkEvents(call: Drive): void {
  const versions = call.changes.flatMap(({ body, row }) => (body === null ? [] : [row.version]))
  assert.deepEqual(
    versions,
    versions.map((_, index) => index + 2),
  )
  assert.equal(call.state.row.version, versions.length + 1)
  assert.equal(call.events.at(-1), call.status)
  assert.equal(new Set(call.events).size, call.events.length)
}

for (const [index, { told, ends }] of stories.entries())
  for (const begin of [placedRow, placingRow])
    test(`story ${index} of a call ${begin === placedRow ? 'placed' : 'being placed'}: any order and any repetition ends ${ends} with one event a version`, () => {
      fc.assert(
        fc.property(reordered(told), (updates) => {
          const call = new Drive(begin())
          for (const update of updates) call.tell(update).wait(50)
          call.wait(2_000).tell({ type: 'wake' })
          assert.equal(call.status, ends)
          checkEvents(call)
          assert.ok(call.forwards.length <= 1)
          if (ends !== 'ACCEPTED') assert.equal(call.state.session, null)
          assert.equal(call.state.row.error !== null, ends === 'FAILED')
        }),
        { numRuns: 300 },
      )
    })

const inbound: readonly { readonly told: readonly CallMessage[]; readonly ends: string }[] = [
  { told: [connect(ringingRow(), offer), terminate()], ends: 'MISSED' },
  { told: [connect(ringingRow(), offer), terminate({ durationSeconds: 5 })], ends: 'COMPLETED' },
  { told: [connect(ringingRow(), offer), terminate({ error })], ends: 'FAILED' },
]

for (const { told, ends } of inbound)
  test(`an inbound call ends ${ends} in any order and repetition of its updates`, () => {
    fc.assert(
      fc.property(reordered(told), (updates) => {
        const call = new Drive(ringingRow(), { session: offer })
        for (const update of updates) call.tell(update)
        assert.equal(call.status, ends)
        checkEvents(call)
        assert.equal(call.state.session, null)
      }),
      { numRuns: 200 },
    )
  })
