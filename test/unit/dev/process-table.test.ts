import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, identifySelf, isAlive } from '../../../src/dev/embedded/process-table.ts'

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
    // The shell becomes `sleep`, which never reaps the child that it inherits.
    const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    after(() => parent.kill())
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    const state = () => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${line}/status`, 'utf8'))?.[1]
    // Polling, because the moment at which another process's child ends is announced to nobody.
    for (let i = 0; i < 2000 && state() !== 'Z'; i += 1) await sleep(5)
    assert.equal(state(), 'Z')
    assert.equal(identify(Number(line)), null)
  })
})
