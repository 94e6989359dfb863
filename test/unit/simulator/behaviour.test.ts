import assert from 'node:assert/strict'
import {
  calledBehaviour,
  hangsUpEarly,
  mediaOf,
  messageBehaviour,
  startsWithPermission,
} from '../../../src/simulator/behaviour.ts'
import { describe, test } from '../../support/harness.ts'

const handset = (ending: string): string => `1555123${ending}`

const script = (ending: string): string[] =>
  messageBehaviour(handset(ending)).statuses.map(({ status, afterMs, code }) =>
    code === undefined ? `${status}@${afterMs}` : `${status}:${code}`,
  )

describe('numbers and what they do with messages', () => {
  test('0001 is sent, delivered and read at 0.1, 0.5 and 2 s', () => {
    assert.deepEqual(script('0001'), ['sent@100', 'delivered@500', 'read@2000'])
  })

  test('0002 is delivered and never read', () => {
    assert.deepEqual(script('0002'), ['sent@20', 'delivered@60'])
  })

  test('0003 and 0004 fail with codes of their own', () => {
    assert.deepEqual([script('0003'), script('0004')], [['failed:131026'], ['failed:131049']])
  })

  test('0005 refuses three times with 130429, 0006 always with 131056', () => {
    assert.deepEqual(messageBehaviour(handset('0005')).refusal, { code: 130429, times: 3 })
    assert.deepEqual(messageBehaviour(handset('0006')).refusal, {
      code: 131056,
      times: Number.POSITIVE_INFINITY,
    })
  })

  test('0007 is accepted and never reported on', () => {
    assert.deepEqual(messageBehaviour(handset('0007')), { statuses: [] })
  })

  test('0008 reports read before sent and everything twice', () => {
    const statuses = messageBehaviour(handset('0008')).statuses.map(({ status }) => status)
    assert.equal(statuses[0], 'read')
    for (const status of ['sent', 'delivered', 'read'] as const) {
      assert.ok(statuses.filter((one) => one === status).length >= 2)
    }
  })

  test('0009 is held and dropped with 132015, 0010 is held and released', () => {
    assert.deepEqual([messageBehaviour(handset('0009')).held, script('0009')], [true, ['failed:132015']])
    assert.deepEqual(
      [messageBehaviour(handset('0010')).held, script('0010')],
      [true, ['sent@1000', 'delivered@1100']],
    )
  })

  test('0011 answers STOP after a second, 0012 another text', () => {
    assert.deepEqual(messageBehaviour(handset('0011')).reply, { afterMs: 1000, text: 'STOP' })
    assert.notEqual(messageBehaviour(handset('0012')).reply?.text, 'STOP')
  })

  test('any other number is sent and delivered', () => {
    assert.deepEqual(script('4711'), ['sent@20', 'delivered@60'])
  })
})

describe('numbers and what they do with calls', () => {
  test('0021 answers, 0023 rings out, 0024 declines, others wait', () => {
    const called = ['0021', '0023', '0024', '0022', '4711'].map((ending) => calledBehaviour(handset(ending)))
    assert.deepEqual(called, ['answers', 'rings-out', 'declines', 'waits', 'waits'])
  })

  test('only 0021 has real media by itself', () => {
    assert.deepEqual([mediaOf(handset('0021')), mediaOf(handset('0022'))], ['real', 'template'])
  })

  test('only 0022 hangs up early and only 0025 starts without permission', () => {
    assert.deepEqual([hangsUpEarly(handset('0022')), hangsUpEarly(handset('0021'))], [true, false])
    assert.deepEqual(
      [startsWithPermission(handset('0025')), startsWithPermission(handset('0021'))],
      [false, true],
    )
  })
})
