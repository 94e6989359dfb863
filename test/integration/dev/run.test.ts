import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from '../../support/harness.ts'
import { temporaryFolder } from './owner-process.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

// Node marks its children as running under a test runner, and a runner inside another runs nothing.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_TEST_CONTEXT'),
)

function runTests(place: string, env: Record<string, string> = {}, flags: readonly string[] = []) {
  const args = ['--import', 'tsx', 'test/run.ts', place, ...flags]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...environment, ...env },
  })
  return { status, stdout, stderr }
}

function folderWith(name: string, lines: readonly string[]): string {
  const dir = join(temporaryFolder(), 'tests')
  mkdirSync(dir)
  writeFileSync(join(dir, name), ["import { test } from 'node:test'", ...lines].join('\n'))
  return dir
}

describe('the test runner', () => {
  test('fails when there is nothing to run', () => {
    const { status, stderr } = runTests(folderWith('a.spec.ts', ["test('never seen', () => {})"]))
    assert.notEqual(status, 0)
    assert.match(stderr, /no test files under/)
  })

  test('fails when a part has nothing to run', () => {
    const dir = folderWith('a.test.ts', ["test('never seen', () => {})"])
    const { status, stderr } = runTests(dir, {}, ['--shard', '2/2'])
    assert.notEqual(status, 0)
    assert.match(stderr, /no test files are left/)
  })

  test('fails when a test fails, and says how many', () => {
    const { status, stdout } = runTests(
      folderWith('a.test.ts', ["test('good', () => {})", "test('bad', () => { throw new Error('bad') })"]),
    )
    assert.equal(status, 1)
    assert.match(stdout, /pass 1\n/)
    assert.match(stdout, /fail 1\n/)
  })

  test('hides the servers of the caller, and offers its own', () => {
    const dir = folderWith('a.test.ts', [
      'const { DATABASE_URL, REDIS_URL, TEST_PG_URL = "" } = process.env',
      'const isRight = !DATABASE_URL && !REDIS_URL && TEST_PG_URL.startsWith("postgres://")',
      "test('environment', () => { if (!isRight) throw new Error('wrong servers') })",
    ])
    const { status, stdout } = runTests(dir, { DATABASE_URL: 'postgres://else', REDIS_URL: 'redis://else' })
    assert.equal(status, 0, stdout)
  })

  test('starts no servers for tests that need none', () => {
    const { status, stdout } = runTests(join(root, 'test', 'unit', 'dev', 'candidates.test.ts'))
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^1 test files, no servers needed/)
  })
})
