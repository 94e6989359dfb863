import assert from 'node:assert/strict'
import { type Candidate, firstWorking } from '../../../src/dev/embedded/candidates.ts'
import { describe, test } from '../../support/harness.ts'

const broken = (name: string, error: Error): Candidate<string> => ({
  name,
  find: () => Promise.reject(error),
})
const working = (name: string): Candidate<string> => ({ name, find: () => name })
const missing = Object.assign(new Error('spawn a ENOENT'), { code: 'ENOENT' })
const noisy = Object.assign(new Error('Command failed'), { stderr: 'no such library\nmore about it\n' })

describe('the first working candidate', () => {
  test('is taken, and each one before it is told with its reason', async () => {
    const skipped: string[] = []
    const found = await firstWorking({
      what: 'a server',
      candidates: [broken('a', missing), broken('b', noisy), working('c'), broken('d', missing)],
      remedy: 'install one',
      onSkip: (line) => skipped.push(line),
    })
    assert.equal(found, 'c')
    assert.deepEqual(skipped, ['a: not found', 'b: no such library'])
  })

  test('is missed with every reason and the remedy when there is none', async () => {
    const search = {
      what: 'a server',
      candidates: [broken('a', missing), broken('b', noisy)],
      remedy: 'install one',
    }
    const message = 'a server: none of these works\n  a: not found\n  b: no such library\ninstall one'
    await assert.rejects(firstWorking(search), { message })
  })
})
