import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { errorCatalog } from '../../src/contract/errors.ts'
import { settingsSchema } from '../../src/platform/config/settings.ts'
import { describe, test } from '../support/harness.ts'

const path = 'src/platform/README.md'
const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The cells of a section's table without markup, without the header and separator rows. */
function rowsOf(section: string): string[][] {
  const text = new RegExp(`<!-- ${section} -->\\n([^]*?)<!-- /${section} -->`).exec(page)?.[1]
  assert.ok(text, `${path} lacks the section ${section}`)
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

describe(path, () => {
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
})
