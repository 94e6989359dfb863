import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import {
  type Meaning,
  meaningOf,
  type Pressed,
  pageKeys,
} from '../../../src/console/web/core/key-meanings.ts'
import { matching } from '../../../src/console/web/palette/match.ts'
import { describe, test } from '../../support/harness.ts'

const press = (key: string, given: Partial<Pressed> = {}, before?: Meaning) =>
  meaningOf(
    { key, hasModifier: false, hasCommand: false, isTyping: false, over: 'page', atMs: 0, ...given },
    before,
  )

describe('the keys of the console', () => {
  test('on the page, each has one meaning', () => {
    assert.deepEqual(press('/'), { type: 'palette' })
    assert.deepEqual(press('?'), { type: 'shortcuts' })
    assert.deepEqual(press('c'), { type: 'create' })
    assert.equal(press('x'), undefined)
  })

  test('in a field, a menu or a dialog, or with a modifier, none fires', () => {
    for (const given of [
      { isTyping: true },
      { over: 'dialog' as const },
      { over: 'drawer' as const },
      { hasModifier: true },
      { hasCommand: true },
    ])
      for (const key of ['/', '?', 'c', 'g'])
        assert.equal(press(key, given), undefined, `${key} ${JSON.stringify(given)}`)
  })

  test('the search opens from a field and beside a drawer, but over no dialog', () => {
    for (const given of [{ isTyping: true }, { over: 'drawer' as const }, {}])
      assert.deepEqual(press('k', { hasCommand: true, ...given }), { type: 'palette' })
    assert.deepEqual(press('K', { hasCommand: true }), { type: 'palette' })
    assert.equal(press('k', { hasCommand: true, over: 'dialog' }), undefined)
  })

  test('g and a letter lead to a page, if the letter comes soon', () => {
    const go = press('g', { atMs: 1_000 })
    assert.deepEqual(go, { type: 'go', atMs: 1_000 })
    assert.deepEqual(press('d', { atMs: 2_000 }, go), { type: 'page', page: 'deliveries' })
    // `c` is no new record then.
    assert.deepEqual(press('c', { atMs: 2_000 }, go), { type: 'page', page: 'conversations' })
    assert.equal(press('d', { atMs: 9_000 }, go), undefined)
    assert.equal(press('d', { atMs: 2_000, isTyping: true }, go), undefined)
    assert.equal(press('1', { atMs: 1_100 }, go), undefined)
  })

  test('every page has a letter of its own', () => {
    const letters = Object.values(pageKeys)
    assert.equal(new Set(letters).size, letters.length)
    const list = readFileSync(new URL('../../../src/console/web/pages.ts', import.meta.url), 'utf8')
    const paths = [...list.matchAll(/path: '(\w+)'/g)].map(([, path = '']) => path)
    assert.ok(paths.length >= 14)
    for (const path of paths) assert.match(pageKeys[path] ?? '', /^[a-z]$/, path)
  })

  test('a page or action is found by the beginnings of its words, by its title first', () => {
    const entries = [
      { title: 'Webhook endpoints', words: 'receivers urls' },
      { title: 'Delivery log', words: 'webhook attempts' },
      { title: 'Make an API key', words: 'create new token' },
    ]
    const found = (text: string) => matching(entries, text).map(({ title }) => title)
    assert.deepEqual(found('web'), ['Webhook endpoints', 'Delivery log'])
    assert.deepEqual(found('LOG del'), ['Delivery log'])
    assert.deepEqual(found('new key'), ['Make an API key'])
    for (const text of ['', ' ', 'ook', '!?', 'key log']) assert.deepEqual(found(text), [], text)
  })
})
