import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { delayAfterFailure } from '../../../src/privacy/run-jobs.ts'
import { tarEnd, tarHeader, tarPadding } from '../../../src/privacy/tar.ts'
import { describe, test } from '../../support/harness.ts'

describe('a tar archive', () => {
  test('is one that tar reads, whatever the lengths', () => {
    const entries = ['', 'x', 'y'.repeat(512), 'z'.repeat(700)].map((text, index) => ({
      name: `e/${index}.txt`,
      text,
    }))
    const archive = Buffer.concat([
      ...entries.flatMap(({ name, text }) => [
        tarHeader({ name, sizeBytes: text.length, modifiedAt: Date.UTC(2026, 10, 22) }),
        Buffer.from(text),
        tarPadding(text.length),
      ]),
      tarEnd,
    ])
    assert.equal(archive.length % 512, 0)
    const tar = (...args: string[]) => execFileSync('tar', args, { input: archive }).toString()
    assert.deepEqual(
      tar('-t').trim().split('\n'),
      entries.map(({ name }) => name),
    )
    for (const { name, text } of entries) assert.equal(tar('-xO', name), text)
  })

  test('refuses a name or a length that it cannot hold', () => {
    const entry = { name: 'a', sizeBytes: 1, modifiedAt: 0 }
    assert.throws(() => tarHeader({ ...entry, name: 'a'.repeat(101) }), RangeError)
    assert.throws(() => tarHeader({ ...entry, name: 'ä' }), RangeError)
    assert.throws(() => tarHeader({ ...entry, sizeBytes: 8 ** 11 }), RangeError)
  })
})

test('a job that fails is tried again after 1, 2, 4 s and at last every five minutes', () => {
  assert.deepEqual(
    [1, 2, 3, 9, 10, 1_000].map(delayAfterFailure),
    [1_000, 2_000, 4_000, 256_000, 300_000, 300_000],
  )
})
