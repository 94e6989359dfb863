import assert from 'node:assert/strict'
import { sharedAbort } from '../../../src/shared/shared-abort.ts'
import { test } from '../../support/harness.ts'

test('a hundred may wait for one signal, and Node warns of no leak', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  let ended = 0
  const controller = sharedAbort()
  for (let count = 0; count < 100; count += 1) controller.signal.addEventListener('abort', () => (ended += 1))
  controller.abort()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  assert.equal(ended, 100)
  assert.deepEqual(
    warnings.filter(({ name }) => name === 'MaxListenersExceededWarning'),
    [],
  )
})
