import assert from 'node:assert/strict'
import type { Result, Row } from '../../../bench/harness/result.ts'
import { speedSection, withSection } from '../../../bench/report/speed-section.ts'
import { describe, test } from '../../support/harness.ts'
import { resultOf, roundOf } from './rounds.ts'

const rate = { kind: 'rate', perSecond: 200 } as const
const closed = { kind: 'closed', connections: 64 } as const
const row = (scenario: string, variant: string, load: Row['load'], cpu = 900): Row => ({
  ...{ scenario, variant, load },
  rounds: [1, 2].map((round) => ({
    ...roundOf(round, cpu),
    perSecond: load.kind === 'rate' ? 200 : 1e6 / cpu,
  })),
})
const result = (rows: readonly Row[], options = {}): Result => ({ ...resultOf(rows), options })

describe('the figures of the page', () => {
  const section = speedSection({
    all: result(
      [
        row('event', 'gateway', rate, 1_200),
        row('event', 'floor', rate, 1_000),
        row('event', 'durable-floor', rate, 1_500),
        row('event', 'gateway', closed, 500),
        row('event', 'usual', closed, 2_000),
        row('list-messages', 'gateway', closed, 800),
        row('retry storm', 'gateway', rate),
        row('send', 'beside campaign', rate),
      ],
      { rounds: 3, seconds: 4 },
    ),
    profile: result([
      {
        ...row('event', 'gateway', closed),
        rounds: [{ ...roundOf(1, 900), profile: { postgres: 150, calls: 46, little: 4 } }],
      },
    ]),
    scale: result([
      row('event, 2 gateways', 'smallest', rate, 100),
      row('event, 2 gateways', 'gateway', rate, 110),
      row('event, 2 gateways', 'smallest floor', rate, 50),
      row('event, 2 gateways', 'its floor', rate, 60),
      row('event, 100 endpoints', 'smallest', rate, 100),
      row('event, 100 endpoints', 'gateway', rate, 100),
    ]),
    lists: result([row('calls', 'gateway', closed), row('calls', 'floor', closed)], { messages: 1_000_000 }),
    recipients: result([row('upload, CSV', 'gateway', { kind: 'batch', units: 10 }, 80)]),
  })

  test('are left out where requests were refused', () => {
    const refusing = row('list-messages', 'gateway', closed, 100)
    const errors = { refused: 3, lost: 0, duplicated: 0, strange: 0 }
    const rounds = refusing.rounds.map((round, index) => (index === 0 ? { ...round, errors } : round))
    const all = result([{ ...refusing, rounds }, row('list-messages', 'usual', closed)], {
      rounds: 2,
      seconds: 2,
    })
    const section = speedSection({ all })
    // Neither a ratio nor CPU and p99.
    assert.match(section, /\| `list-messages`, 64 conns \| refused \| 1,111 \| {2}\| {2}\| {2}\| 2 \|/)
  })

  test('say what was lost in place of figures', () => {
    const errors = { refused: 0, lost: 3, duplicated: 0, strange: 0 }
    const lossy = (scenario: string, load: Row['load']): Row => ({
      ...{ scenario, variant: 'gateway', load },
      rounds: [{ ...roundOf(1, 100), errors }],
    })
    const rows = [lossy('event', rate), lossy('event', closed), lossy('soak', rate)]
    const section = speedSection({ all: result(rows, { rounds: 1, seconds: 2 }) })
    assert.match(section, /\| `event`, 200\/s: 3 lost \|( {2}\|)+$/m)
    assert.match(section, /\| `event`, 64 conns \| 3 lost \| {2}\| {2}\| 1 \|/)
    assert.match(section, /\| soak, 200\/s \| {2}\| {2}\| {2}\| {2}\| 1,500 \| 3 lost \|/)
  })

  test('mark what generator or receiver may have limited, and read older results', () => {
    const busy = row('event', 'gateway', closed, 1_000)
    const rounds = busy.rounds.map((round) => ({ ...round, cores: { generator: 0.95, receiver: 0.4 } }))
    const all = result([{ ...busy, rounds }, row('answer', 'gateway', rate)], { rounds: 1, seconds: 2 })
    const section = speedSection({ all: { ...all, version: 2 } })
    assert.match(section, /\| `event`, 64 conns \| 1,000\* \|/)
    assert.match(section, /^\* generator or receiver took more than 0\.8 of a core/m)
    assert.match(section, /\| `answer`, 200\/s, from the answer \|/)
    assert.doesNotMatch(speedSection({ all }), /from the answer/)
  })

  test('are the rows of results, each beside the floor and the peers of its rounds', () => {
    assert.match(
      section,
      /\| `event`, 200\/s \| 2\.00 \| 3\.00 \| - \| .* \| 1\.00 \| 1\.00 \| 1,200 \| 1\.20 \| 0\.80 \| {2}\| 3,000 \(2\) \|/,
    )
    assert.match(section, /\| {2}\| gateway \| usual \| x usual \| CPU us \| p99 ms \| rounds \|/)
    assert.match(section, /\| `event`, 64 conns \| 2,000 \| 500 \| 4\.00 \| 500 \|/)
    assert.match(section, /Up to 3 rounds of 4 s\./)
    // What was not measured is empty, and no figure.
    assert.match(section, /\| `list-messages`, 64 conns \| 1,250 \| {2}\| {2}\| 800 \|/)
    assert.match(section, /\| retry storm, 200\/s \|/)
    assert.match(section, /\| send, 200\/s, beside campaign \|/)
    assert.match(
      section,
      /\| {2}\| `event`, 64 conns \|\n.*\n\| postgres \| 75 \|\n\| calls \| 23 \|\n\| everything else \| 2 \|/,
    )
    assert.match(section, /\| 2 gateways \| 1\.10 \| 1\.20 \|\n\| 100 endpoints \| 1\.00 \| {2}\|/)
    assert.match(section, /1 lists and filters of 1,000,000 messages/)
    assert.match(section, /\| calls \| 2\.00 \| 3\.00 \| 1\.0 \|/)
    assert.match(section, /\| upload, CSV, 10 units \| .* \| 12,500 \|/)
  })

  test('say the latency of a result of its own, where there is one', () => {
    const rows = [row('event', 'gateway', rate, 1_200), row('send', 'gateway', rate, 800)]
    const rates = result([row('event', 'gateway', rate, 700)], { rounds: 5, seconds: 2 })
    const text = speedSection({ all: result(rows, { rounds: 3, seconds: 2 }), rates })
    assert.match(text, /--name rates`: .* Up to 5 rounds/)
    assert.match(text, /\| `event`, 200\/s \|.*\| 700 \|/)
    assert.doesNotMatch(text, /\| `event`, 200\/s \|.*\| 1,200 \|/)
    assert.match(text, /\| `send`, 200\/s \|/)
  })

  test('leave out what was not measured', () => {
    const text = speedSection({ all: result([row('event', 'gateway', rate)], { rounds: 1, seconds: 2 }) })
    assert.doesNotMatch(text, /bench:scale|bench:lists|--profile/)
  })

  test('replace what is between the marks, and nothing else', () => {
    const page = 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter'
    assert.equal(withSection(page, 'new'), 'before\n<!-- bench -->\nnew\n<!-- /bench -->\nafter')
    assert.throws(() => withSection('no marks', 'new'), /has no <!-- bench -->/)
  })
})
