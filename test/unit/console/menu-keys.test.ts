import assert from 'node:assert/strict'
import {
  isTyping,
  itemAfterKey,
  itemByText,
  nothingTyped,
  typedAfter,
} from '../../../src/console/web/core/menu-keys.ts'
import { describe, test } from '../../support/harness.ts'

describe('the keys of a menu', () => {
  test('arrows go round, Home and End to the ends', () => {
    assert.equal(itemAfterKey('ArrowDown', -1, 3), 0)
    assert.equal(itemAfterKey('ArrowDown', 2, 3), 0)
    assert.equal(itemAfterKey('ArrowUp', 0, 3), 2)
    assert.equal(itemAfterKey('ArrowUp', -1, 3), 2)
    assert.equal(itemAfterKey('Home', 2, 3), 0)
    assert.equal(itemAfterKey('End', 0, 3), 2)
  })

  test('other keys, and an empty menu, lead nowhere', () => {
    assert.equal(itemAfterKey('Tab', 0, 3), undefined)
    assert.equal(itemAfterKey('ArrowDown', -1, 0), undefined)
  })

  const labels = ['Edit', 'Delete', 'Duplicate', 'Export report']

  test('a letter leads to the next item that starts with it, and again to the one after', () => {
    assert.equal(itemByText('d', 0, labels), 1)
    assert.equal(itemByText('D', 1, labels), 2)
    assert.equal(itemByText('dd', 2, labels), 1)
    assert.equal(itemByText('e', -1, labels), 0)
    assert.equal(itemByText('x', 0, labels), undefined)
  })

  test('letters in quick succession are one word', () => {
    let typed = typedAfter(nothingTyped, 'd', 10_000)
    typed = typedAfter(typed, 'u', 10_300)
    assert.equal(itemByText(typed.text, 1, labels), 2)
    assert.ok(isTyping(typed, 10_600))
    assert.ok(!isTyping(typed, 12_000))
    assert.equal(typedAfter(typed, 'e', 12_000).text, 'e')
  })
})
