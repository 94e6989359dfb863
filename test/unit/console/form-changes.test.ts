import assert from 'node:assert/strict'
import { isSparing } from '../../../src/console/web/core/connection.ts'
import { createFormChanges } from '../../../src/console/web/core/form-changes.ts'
import { createWaiting } from '../../../src/console/web/core/waiting.ts'
import { describe, test } from '../../support/harness.ts'

describe('the changes of a form', () => {
  test('what is typed is a change, and what is taken back is none', () => {
    const changes = createFormChanges()
    const field = { type: 'text', value: 'Shop' }
    changes.meet(field)
    field.value = 'Shop 2'
    assert.equal(changes.change(field), true)
    changes.meet(field)
    field.value = 'Shop'
    assert.equal(changes.change(field), false)
  })

  test('each field counts by itself, a box by its tick', () => {
    const changes = createFormChanges()
    const [name, box] = [
      { type: 'text', value: '' },
      { type: 'checkbox', value: 'on', checked: false },
    ]
    changes.meet(name)
    changes.meet(box)
    box.checked = true
    assert.equal(changes.change(box), true)
    name.value = 'x'
    assert.equal(changes.change(name), true)
    name.value = ''
    assert.equal(changes.change(name), true, 'the tick is still there')
    box.checked = false
    assert.equal(changes.change(box), false)
  })

  test('a field that was changed before it was met is changed', () => {
    assert.equal(createFormChanges().change({ type: 'text', value: 'x' }), true)
  })
})

describe('what waits for a dialog', () => {
  test('one answer is for all, and the next question starts anew', async () => {
    const { isAsking, ask, settle } = createWaiting()
    const both = [ask(), ask()]
    assert.equal(isAsking.value, true)
    settle(true)
    assert.deepEqual(await Promise.all(both), [true, true])
    assert.equal(isAsking.value, false)
    const next = ask()
    settle(false)
    assert.equal(await next, false)
  })
})

describe('fetching ahead', () => {
  test('is left out where somebody saves data or the line is slow', () => {
    assert.equal(isSparing({ saveData: true }), true)
    assert.equal(isSparing({ effectiveType: 'slow-2g' }), true)
    assert.equal(isSparing({ effectiveType: '4g', saveData: false }), false)
    assert.equal(isSparing({}), false)
  })
})
