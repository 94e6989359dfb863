// What the pages say is for people: formats are made in one place, and the words that were given up stay out.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from '../support/harness.ts'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

const sources = ['console/web', 'simulator/web'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8')
      return { path: `${folder}/${name}`, text: text.replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '') }
    }),
)

interface Rule {
  readonly what: string
  readonly pattern: RegExp
  readonly instead: string
  /** Where it is right. */
  readonly except?: RegExp
}

const rules: readonly Rule[] = [
  {
    what: 'a format of its own',
    pattern: /\.toLocale\w*String\(|\bIntl\.(DateTimeFormat|NumberFormat|RelativeTimeFormat)\b|\.toFixed\(/,
    instead: 'core/format.ts',
    // The relative times of the console are made where its clock is; a chart draws lines to a tenth of a pixel.
    except: /^console\/web\/(core\/format|parts\/chart-marks)\.tsx?$/,
  },
  {
    what: '`+` before the digits of a number',
    pattern: /`\+\$\{\w*(to|waId|contact\w*|number)\}`/i,
    instead: 'phone()',
  },
  {
    what: 'a wire name of a type of text',
    pattern: /\bNowhere\b|\bseed into\b|That of the installation/,
    instead: 'the words of the product',
  },
  {
    what: '“Wrote back”, “This one”, “had their turn”',
    pattern: /Wrote back|>This one<|had their turn|Nobody is on it/,
    instead: 'Replied, This device, processed, No recipients yet',
  },
  {
    what: 'a list that is empty because of its filters in its own words',
    pattern: /Nothing fits these filters|Take (a|the) filter away/,
    instead: 'NoResults',
  },
  { what: 'a time with twelve hours', pattern: /\bhour12\b|'h12'|hourCycle: 'h1/, instead: 'core/format.ts' },
]

describe('the words of the pages', () => {
  test('there are pages', () => assert.ok(sources.length > 100))
  for (const { what, pattern, instead, except } of rules)
    test(`there is no ${what}: ${instead}`, () => {
      const found = sources
        .filter(({ path, text }) => pattern.test(text) && except?.test(path) !== true)
        .map(({ path, text }) => `${path}: ${pattern.exec(text)?.[0]}`)
      assert.deepEqual(found, [])
    })
})
