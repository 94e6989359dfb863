import assert from 'node:assert/strict'
import { serverReports } from '../../../../src/platform/http/server-reports.ts'
import { DeadlineExceeded } from '../../../../src/shared/deadline.ts'
import { test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

function reports() {
  const clock = new SimulatedClock()
  const lines: unknown[][] = []
  const counted: string[] = []
  const write = (level: string) => (fields: unknown, event: unknown) =>
    void lines.push([level, event, fields])
  const log = { warn: write('warn'), error: write('error') } as never
  return { clock, lines, counted, ...serverReports({ clock, log, count: (code) => counted.push(code) }) }
}

test('requests that no handler gets are all counted, and have one line a second', async () => {
  const { clock, lines, counted, onRefused } = reports()
  for (const code of ['OVERLOADED', 'OVERLOADED', 'HEADERS_TOO_LARGE'] as const) onRefused(code)
  await clock.advance(1_000)
  onRefused('OVERLOADED')
  assert.deepEqual(lines, [
    ['warn', 'requests.refused', { codes: { OVERLOADED: 1 } }],
    ['warn', 'requests.refused', { codes: { OVERLOADED: 2, HEADERS_TOO_LARGE: 1 } }],
  ])
  assert.equal(counted.length, 4)
})

test('what a handler threw is an error where it is a fault of ours, and a warning where it is an outage', () => {
  const { lines, onFault } = reports()
  onFault(new DeadlineExceeded('it'), 'r-1')
  onFault(new Error('ours'), 'r-2')
  assert.deepEqual(
    lines.map(([level, event]) => [level, event]),
    [
      ['warn', 'request.failed'],
      ['error', 'request.failed'],
    ],
  )
})
