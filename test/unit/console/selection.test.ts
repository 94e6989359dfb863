import assert from 'node:assert/strict'
import { nothingSelected, withAll, withClick, within } from '../../../src/console/web/core/selection.ts'
import { describe, test } from '../../support/harness.ts'

const order = ['a', 'b', 'c', 'd', 'e']
const click = (selection = nothingSelected, id = 'a', { isOn = true, isRange = false } = {}) =>
  withClick(selection, order, { id, isOn, isRange })
const shown = (selection: typeof nothingSelected) => within(selection, order).join('')

describe('selected rows', () => {
  test('a click with Shift takes all rows from the last click on, up or down, on or off', () => {
    const down = click(click(undefined, 'b'), 'd', { isRange: true })
    assert.equal(shown(down), 'bcd')
    const up = click(down, 'a', { isRange: true })
    assert.equal(shown(up), 'abcd')
    const less = click(click(up, 'b', { isOn: false }), 'c', { isOn: false, isRange: true })
    assert.equal(shown(less), 'ad')
  })

  test('a range from a row that has gone is this row alone', () => {
    const selection = withClick({ ids: new Set(['x']), anchor: 'x' }, order, {
      ...{ id: 'c', isOn: true, isRange: true },
    })
    assert.equal(shown(selection), 'c')
  })

  test('all are selected, or none once all are', () => {
    const all = withAll(click(undefined, 'b'), order)
    assert.equal(shown(all), 'abcde')
    assert.equal(shown(withAll(all, order)), '')
  })
})
