import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { settingsSchema } from '../../src/config/settings.ts'
import { errorCatalog } from '../../src/contract/errors.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The cells of a section's table without their markup, head and ruler left out. */
function rowsOf(section: string): string[][] {
  const text = new RegExp(`<!-- ${section} -->\\n([^]*?)<!-- /${section} -->`).exec(readme)?.[1]
  assert.ok(text, `README.md lacks the section ${section}`)
  const [, , ...rows] = text.trim().split('\n')
  return rows.map((row) => {
    const cells = row.split(/(?<!\\)\|/).slice(1, -1)
    return cells.map((cell) =>
      cell
        .trim()
        .replace(/^`(.*)`$/, '$1')
        .replace(/\\([<|])/g, '$1'),
    )
  })
}

describe('README.md', () => {
  test('lists every setting with its default and meaning, and no other (npm run readme)', () => {
    const settings = Object.entries(settingsSchema).map(([name, row]) => [
      name,
      'default' in row ? row.default : '',
      row.meaning,
    ])
    assert.ok(settings.length > 30)
    assert.deepEqual(rowsOf('settings'), settings)
  })

  test('lists every error code with its status and meaning, and no other (npm run readme)', () => {
    const errors = Object.entries(errorCatalog).map(([name, row]) => [name, String(row.status), row.meaning])
    assert.deepEqual(rowsOf('errors'), errors)
  })

  test('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const named = [...readme.matchAll(/npm (?:run ([a-z:]+)|(start|test)\b)/g)].map(
      ([, run, own]) => run ?? own,
    )
    assert.ok(named.length > 5)
    for (const name of named) assert.ok(name !== undefined && name in scripts, `npm run ${name}`)
  })
})
