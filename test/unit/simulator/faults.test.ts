import assert from 'node:assert/strict'
import * as v from 'valibot'
import { Faults, FaultsBody } from '../../../src/simulator/faults.ts'
import { describe, test } from '../../support/harness.ts'

const armed = (...api: object[]): Faults => {
  const faults = new Faults()
  faults.replace(v.parse(FaultsBody, { api }))
  return faults
}

const messageTo = (to: string) => ({ edge: 'messages', action: undefined, to })
const call = (action: string) => ({ edge: 'calls', action, to: undefined })

describe('faults of the API', () => {
  test('a fault with a number of times is spent after them', () => {
    const faults = armed({ match: 'messages', times: 2, code: 2 })
    const hits = [1, 2, 3].map(() => faults.take(messageTo('15551230001'), 0)?.code)
    assert.deepEqual(hits, [2, 2, undefined])
  })

  test('a fault hits only its edge, its action and its recipients', () => {
    const faults = armed({ match: 'calls', action: 'accept', code: 100 }, { match: '*', to: '0042', code: 4 })
    assert.equal(faults.take(call('accept'), 0)?.code, 100)
    assert.equal(faults.take(call('reject'), 0), undefined)
    assert.equal(faults.take(messageTo('15551230042'), 0)?.code, 4)
    assert.equal(faults.take(messageTo('15551230001'), 0), undefined)
  })

  test('a throttle hits what goes beyond its rate and rests in the next second', () => {
    const faults = armed({ match: 'messages', abovePerSecond: 2, code: 130429 })
    const at = (ms: number) => faults.take(messageTo('1'), ms)?.code
    assert.deepEqual(
      [at(1000), at(1001), at(1002), at(1999), at(2000)],
      [undefined, undefined, 130429, 130429, undefined],
    )
  })

  test('a fault with an unknown field is refused', () => {
    assert.equal(v.safeParse(FaultsBody, { api: [{ match: '*', explode: true }] }).success, false)
  })

  test('the first rule that applies is the one that is taken', () => {
    const faults = armed({ match: 'messages', times: 1, code: 1 }, { match: 'messages', code: 2 })
    assert.deepEqual(
      [1, 2].map(() => faults.take(messageTo('1'), 0)?.code),
      [1, 2],
    )
  })
})
