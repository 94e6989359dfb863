import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compiledOnce, compileProgram } from '../../../src/dev/compile.ts'
import { before, describe, test } from '../../support/harness.ts'
import { temporaryFolder } from './owner-process.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

describe('the compiled program', () => {
  let program: string

  before(async () => {
    program = await compiledOnce()
  })

  /** Beside them lies the file of packages. */
  const programsIn = (cache: string) =>
    readdirSync(cache)
      .filter((name) => !name.startsWith('packages-'))
      .sort()

  const node = (...args: string[]) =>
    spawnSync(process.execPath, ['--enable-source-maps', ...args], { cwd: root, encoding: 'utf8' })

  test('has every entry, and each finds its files without a loader', () => {
    for (const entry of ['src/main.js', 'workers/main.js', 'src/simulator/main.js']) {
      const { stdout, stderr } = node(join(program, entry), '--version')
      assert.match(stdout, /^switchboard \d/, `${entry}: ${stderr}`)
    }
  })

  test('reads the packages of many files from one, which outlives a change of the sources', async () => {
    const cache = dirname(program)
    const chunks = readdirSync(program).filter((name) => name.endsWith('.js'))
    const text = chunks.map((name) => readFileSync(join(program, name), 'utf8')).join('\n')
    const file = join(cache, /packages-\w+\.cjs/.exec(text)?.[0] ?? 'none')
    assert.doesNotMatch(text, /from "(redis|bullmq|undici)"/)
    const madeAt = statSync(file).ino
    await compileProgram({ dir: join(temporaryFolder(), 'changed'), home: root, packages: cache })
    assert.equal(statSync(file).ino, madeAt)
  })

  test('names the lines of its sources in a stack', () => {
    const url = pathToFileURL(join(program, 'src', 'dev', 'run.js')).href
    const { stderr } = node(
      '--input-type=module',
      '-e',
      `(await import('${url}')).runEverything('', undefined)`,
    )
    assert.match(stderr, new RegExp(`${join(root, 'src', 'dev', 'run.ts')}:\\d+`))
  })

  test('is compiled once for the same sources, in the first folder that can be written to', async () => {
    const place = temporaryFolder()
    writeFileSync(join(place, 'file'), '')
    const cache = join(place, 'cache')
    const first = await compiledOnce([join(place, 'file', 'below'), cache])
    const madeAt = statSync(join(first, 'src', 'main.js')).mtimeMs
    assert.equal(await compiledOnce([cache]), first)
    assert.equal(statSync(join(first, 'src', 'main.js')).mtimeMs, madeAt)
    assert.deepEqual(programsIn(cache), [first.slice(cache.length + 1)])
    await assert.rejects(compiledOnce([join(place, 'file', 'below')]), /can be written to/)
  })

  test('replaces programs that nobody started for a day', async () => {
    const cache = temporaryFolder()
    for (const name of ['old', 'recent']) mkdirSync(join(cache, name))
    const longAgo = new Date(Date.now() - 2 * 86_400_000)
    utimesSync(join(cache, 'old'), longAgo, longAgo)
    const program = await compiledOnce([cache])
    assert.deepEqual(programsIn(cache), [program.slice(cache.length + 1), 'recent'].sort())
  })
})
