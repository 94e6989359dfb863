// The bench measures a real gateway: every event arrives, and its figures fit together.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { decode, spreadOf } from '../../bench/harness/histogram.ts'
import type { Result } from '../../bench/harness/result.ts'
import { describe, test } from '../support/harness.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const timeout = 240_000

const bench = (...args: string[]): Promise<{ code: number | string; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const options = { cwd: root, timeout, maxBuffer: 64 * 1024 * 1024 }
    execFile(
      process.execPath,
      ['--import', 'tsx', 'bench/run.ts', ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? (error ? 'killed' : 0), stdout, stderr }),
    )
  })

describe('npm run bench', () => {
  test('--help tells the flags, and a wrong one is refused', async () => {
    const help = await bench('--help')
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /--sweep event/)
    const wrong = await bench('--scenario', 'nothing')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stdout, /--scenario nothing: not one of event/)
  })

  test('a short run measures gateway and floor in the same round, and the hops add up', {
    timeout,
  }, async () => {
    const short = ['--rates', '30', '--connections', '0', '--seconds', '1', '--rounds', '1', '--rows', '10']
    const run = ['--scenario', 'event', '--variants', 'gateway,floor', '--hops', '--json', '--name', 'e2e']
    const { code, stdout, stderr } = await bench(...short, ...run)
    assert.equal(code, 0, stderr)
    const { version, rows, environment } = JSON.parse(stdout) as Result
    assert.equal(version, 2)
    assert.match(environment.postgres ?? '', /^\d/)
    assert.deepEqual(
      rows.map(({ variant, rounds }) => [variant, rounds.map(({ round, count }) => [round, count])]),
      [
        ['gateway', [[1, 30]]],
        ['floor', [[1, 30]]],
      ],
    )
    const [round] = rows[0]?.rounds ?? []
    assert.ok(round?.hops)
    const mean = (encoded: string) => spreadOf(decode(encoded)).mean
    const sum = Object.values(round.hops).reduce((total: number, hop: string) => total + mean(hop), 0)
    const whole = mean(round.latency)
    assert.ok(Math.abs(sum / whole - 1) < 0.05, `${sum} of ${whole}`)
    assert.ok((round.walBytes ?? 0) > 500, `${round.walBytes}`)
  })
})
