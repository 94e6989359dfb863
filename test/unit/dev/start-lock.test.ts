import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { withStartLock } from '../../../src/dev/embedded/start-lock.ts'
import { after, describe, test } from '../../support/harness.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-lock-'))
  after(() => rmSync(dir, { recursive: true }))
  return dir
}

describe('the start lock', () => {
  test('lets one in at a time', async () => {
    const dir = folder()
    let inside = 0
    let most = 0
    const enter = async () => {
      inside += 1
      most = Math.max(most, inside)
      await turn()
      inside -= 1
    }
    await Promise.all(Array.from({ length: 8 }, () => withStartLock(dir, 'a', 60_000, enter)))
    assert.equal(most, 1)
    assert.deepEqual(readdirSync(dir), ['a.lock.8'], 'one file stays, and holds the number')
  })

  test('is let go when the work fails', async () => {
    const dir = folder()
    await assert.rejects(
      withStartLock(dir, 'a', 60_000, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    )
    assert.equal(await withStartLock(dir, 'a', 0, async () => 'entered'), 'entered')
  })

  test('is inherited from a holder that died', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'a.lock.7'), JSON.stringify({ pid: process.pid, startedAt: 'another life' }))
    assert.equal(await withStartLock(dir, 'a', 0, async () => readdirSync(dir).join()), 'a.lock.8')
  })

  test('is refused after the time to wait while its holder lives', async () => {
    const dir = folder()
    const attempt = withStartLock(dir, 'a', 60_000, () => withStartLock(dir, 'a', 0, async () => undefined))
    await assert.rejects(attempt, /another process holds .*a\.lock\.1$/)
  })
})
