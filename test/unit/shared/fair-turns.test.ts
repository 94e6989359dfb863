import assert from 'node:assert/strict'
import { fairTurns } from '../../../src/shared/fair-turns.ts'
import { describe, test } from '../../support/harness.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp(atOnce: number) {
  const turns = fairTurns(atOnce)
  const begun: string[] = []
  const open: (() => void)[] = []
  const ask = (group: string, fails = false) =>
    turns.run(group, async () => {
      begun.push(group)
      await new Promise<void>((resolve) => open.push(resolve))
      if (fails) throw new Error('failed')
    })
  const finish = async () => {
    open.shift()?.()
    await settled()
  }
  return { turns, begun, ask, finish }
}

describe('fair turns', () => {
  test('a group with much to do is served in turn with the others, not before them', async () => {
    const { turns, begun, ask, finish } = setUp(1)
    for (const group of ['big', 'big', 'big', 'big', 'one', 'two', 'one']) void ask(group)
    await settled()
    assert.equal(turns.waiting, 6)
    for (let count = 0; count < 7; count += 1) await finish()
    assert.deepEqual(begun, ['big', 'big', 'one', 'two', 'big', 'one', 'big'])
    assert.equal(turns.waiting, 0)
  })

  test('no more run at once than may, and one that fails makes room all the same', async () => {
    const { begun, ask, finish } = setUp(2)
    const failing = ask('a', true).catch(() => 'failed')
    for (const group of ['b', 'c', 'd']) void ask(group)
    await settled()
    assert.deepEqual(begun, ['a', 'b'])
    await finish()
    assert.equal(await failing, 'failed')
    assert.deepEqual(begun, ['a', 'b', 'c'])
  })
})
