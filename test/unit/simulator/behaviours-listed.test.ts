import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from '../../support/harness.ts'

const read = (path: string) =>
  readFileSync(new URL(`../../../src/simulator/${path}`, import.meta.url), 'utf8')

test('the page offers every ending that the README lists', () => {
  const [, table = ''] = read('README.md').split('| ends in')
  const listed = [...(table.split('## ')[0]?.matchAll(/^\|([ \d/]+)\|/gm) ?? [])].flatMap(
    ([, cell = '']) => cell.match(/\d{4}/g) ?? [],
  )
  assert.ok(listed.length >= 17)
  const offered = [...read('web/behaviours.ts').matchAll(/ending: '(\d{4})'/g)].map(([, ending]) => ending)
  assert.deepEqual(
    listed.filter((ending) => !offered.includes(ending)),
    [],
  )
})
