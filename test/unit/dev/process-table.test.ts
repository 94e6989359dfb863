import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, identifySelf, isAlive } from '../../../src/dev/embedded/process-table.ts'
import { after, describe, test } from '../../support/harness.ts'

describe('the process table', () => {
  test('tells a process from a later one with its number', () => {
    const self = identifySelf()
    assert.ok(isAlive(self))
    assert.ok(!isAlive({ ...self, startedAt: `${self.startedAt}0` }))
  })

  test('does not know a process that has been reaped', async () => {
    const child = spawn('true')
    await once(child, 'exit')
    assert.equal(identify(child.pid ?? 0), null)
  })

  test('counts a zombie as gone', {
    skip: existsSync('/proc/self/stat') ? false : 'needs /proc',
  }, async () => {
    // The shell becomes a `sleep`, which never reaps the child that it inherits.
    const parent = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    after(() => parent.kill())
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    const field = (pid: string, name: string) =>
      new RegExp(`^${name}:\\s+(\\w+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    // Polls, because other processes announce neither an exec nor their end.
    const until = async (isSo: () => boolean) => {
      for (let i = 0; i < 2000 && !isSo(); i += 1) await sleep(5)
    }
    await until(() => field(String(parent.pid), 'Name') === 'sleep')
    assert.notEqual(identify(Number(line)), null)
    process.kill(Number(line), 'SIGKILL')
    await until(() => field(line, 'State') === 'Z')
    assert.equal(field(line, 'State'), 'Z')
    assert.equal(identify(Number(line)), null)
  })
})
