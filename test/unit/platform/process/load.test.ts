import assert from 'node:assert/strict'
import { classOf } from '../../../../src/api/api.ts'
import { table } from '../../../../src/api/table.ts'
import { isAdmitted, levelOf, requestClasses } from '../../../../src/platform/process/load.ts'
import { describe, test } from '../../../support/harness.ts'

const calm = { loopMs: 0, poolMs: 0, fullness: 0 }

describe('load shedding', () => {
  test('each kind of pressure sheds one class after the other', () => {
    assert.equal(levelOf(calm), 0)
    assert.deepEqual(
      [99, 100, 200, 400, 9_000].map((loopMs) => levelOf({ ...calm, loopMs })),
      [0, 1, 2, 3, 3],
    )
    assert.deepEqual(
      [249, 250, 500, 1_000].map((poolMs) => levelOf({ ...calm, poolMs })),
      [0, 1, 2, 3],
    )
    assert.deepEqual(
      [0.49, 0.5, 0.7, 0.85, 1].map((fullness) => levelOf({ ...calm, fullness })),
      [0, 1, 2, 3, 3],
    )
    assert.equal(levelOf({ loopMs: 100, poolMs: 500, fullness: 0 }), 2, 'the worst counts')
  })

  test('lists go first, then other reads, then sends; calls never', () => {
    const shed = ([0, 1, 2, 3] as const).map((level) =>
      requestClasses.filter((one) => !isAdmitted(one, level)),
    )
    assert.deepEqual(shed, [[], ['list'], ['list', 'read'], ['list', 'read', 'send']])
  })

  test('every route of the API has its class', () => {
    const of = (wanted: string) =>
      table.filter((route) => classOf(route) === wanted).map(({ method, path }) => `${method} ${path}`)
    const calls = of('call')
    for (const call of [
      'POST /calls/:id/answer',
      'GET /calls/:id/offer',
      'GET /calls/ice',
      'POST /conversations/:id/call',
    ])
      assert.ok(calls.includes(call), call)
    assert.equal(
      of('call').some((route) => route === 'GET /calls' || route === 'GET /calls/:id'),
      false,
    )
    assert.ok(of('send').includes('POST /messages/chat'))
    assert.ok(of('send').includes('POST /campaigns/:id/pause'))
    for (const read of ['GET /calls/:id', 'GET /messages/chat/:id/media'])
      assert.ok(of('read').includes(read), read)
    for (const list of ['GET /messages/chat', 'POST /campaigns']) assert.ok(of('list').includes(list), list)
  })
})
