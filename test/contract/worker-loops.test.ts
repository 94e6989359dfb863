// The page of the worker names every loop, and how often it runs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from '../support/harness.ts'

const read = (path: string) => readFileSync(new URL(`../../workers/${path}`, import.meta.url), 'utf8')

function written(everyMs: number): string {
  if (everyMs >= 3_600_000) return `${everyMs / 3_600_000} h`
  if (everyMs >= 60_000) return `${everyMs / 60_000} min`
  return everyMs >= 1_000 ? `${everyMs / 1_000} s` : `${everyMs} ms`
}

/** `60 * minuteMs`, `minuteMs` or `1_000`. */
const msOf = (text: string): number =>
  text
    .split(' * ')
    .reduce(
      (product, factor) => product * (factor === 'minuteMs' ? 60_000 : Number(factor.replaceAll('_', ''))),
      1,
    )

describe('workers/README.md', () => {
  test('lists every loop of worker.ts with its interval, in its order, and no other', () => {
    const begun = [...read('worker.ts').matchAll(/^ +loop\('(\w+)', ([^,]+),/gm)]
    const [, section = ''] = read('README.md').split('## Loops')
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)]
    assert.ok(begun.length > 20)
    assert.deepEqual(
      rows.map(([, name, every]) => [name, every]),
      begun.map(([, name, every]) => [name, written(msOf(every ?? ''))]),
    )
  })
})
