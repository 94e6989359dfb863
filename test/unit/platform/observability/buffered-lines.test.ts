import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { bufferedLines } from '../../../../src/platform/observability/logger.ts'
import { after, beforeEach, test } from '../../../support/harness.ts'

/** Writes what is flushed when it is told to. */
class Buffered extends EventEmitter {
  waiting = ''
  flushes = 0
  write(line: string): void {
    this.waiting += line
  }
  flush(): void {
    this.flushes += 1
  }
  flushSync(): void {
    this.written()
  }
  written(): void {
    const bytes = Buffer.byteLength(this.waiting)
    this.waiting = ''
    this.emit('write', bytes)
  }
}

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout'] })
})
after(() => mock.timers.reset())

test('lines are flushed within a tenth of a second, together', () => {
  const buffer = new Buffered()
  const lines = bufferedLines(buffer)
  lines.write('übrigens\n')
  lines.write('two\n')
  mock.timers.tick(99)
  assert.equal(buffer.flushes, 0)
  mock.timers.tick(1)
  assert.equal(buffer.flushes, 1)
})

test('nothing is flushed where no line waits', () => {
  const buffer = new Buffered()
  const lines = bufferedLines(buffer)
  mock.timers.tick(1_000)
  assert.equal(buffer.flushes, 0)
  lines.write('übrigens\n')
  mock.timers.tick(100)
  buffer.written()
  mock.timers.tick(1_000)
  assert.equal(buffer.flushes, 1)
  lines.write('later\n')
  mock.timers.tick(100)
  assert.equal(buffer.flushes, 2)
})

test('a line that comes while a write is under way is flushed after it', () => {
  const buffer = new Buffered()
  const lines = bufferedLines(buffer)
  lines.write('one\n')
  mock.timers.tick(100)
  lines.write('two\n')
  buffer.waiting = 'one\n'
  buffer.written()
  mock.timers.tick(100)
  assert.equal(buffer.flushes, 2)
})

test('while nobody reads, 32 MiB wait, and what was dropped is counted in the next line that fits', () => {
  const buffer = new Buffered()
  const lines = bufferedLines(buffer)
  const long = `${'x'.repeat(1024 * 1024 - 1)}\n`
  for (let count = 0; count < 40; count += 1) lines.write(long)
  assert.equal(buffer.waiting.length, 32 * long.length)
  buffer.written()
  lines.write('at last\n')
  assert.match(
    buffer.waiting,
    /^\{"level":"error","time":"[^"]+","lines":8,"event":"log\.lines_dropped"\}\nat last\n$/,
  )
  buffer.written()
  lines.write('again\n')
  assert.equal(buffer.waiting, 'again\n')
})
