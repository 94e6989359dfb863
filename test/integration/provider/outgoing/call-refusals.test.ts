// What a refusal of a call's command means: the provider uses one code for several causes.
import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { account, json, withRig } from './rig.ts'

describe('a command of a call', () => {
  test('with a bad session is told from one that is over and one that is answered', async () => {
    const explanations = [
      'SDP Validation error: No fingerprint',
      'Call has ended',
      'Call is already in progress',
    ]
    for (const [index, expected] of ['invalidSdp', 'callGone', 'callAnswered'].entries()) {
      const error = {
        code: 100,
        message: '(#100) Invalid parameter',
        error_data: { details: explanations[index] },
      }
      await withRig(json(400, { error }), async ({ api }) => {
        const result = await api.accept(account, 'wacid.C1', 'v=0\r\n')
        assert.equal(result.type === 'refused' && result.error.class, expected)
      })
    }
  })

  test('that is refused has ended only where the provider says so', async () => {
    const gone = [
      'Call has already ended (terminated-by-user)',
      'The call was terminated',
      'This call is no longer active',
      'Invalid call_id: wacid.C1',
      'The call does not exist',
      'Call not found',
    ]
    const other = [
      '',
      'Only calls from users can be answered',
      'The parameter action is required',
      'Unexpected key "biz_opaque_callback_data"',
      'Object with ID 880000000000001 does not exist',
    ]
    const classes = async (code: number, details: string): Promise<unknown[]> => {
      const error = { code, message: `(#${code}) Invalid parameter`, error_data: { details } }
      const seen: unknown[] = []
      await withRig(json(400, { error }), async ({ api }) => {
        for (const result of [
          await api.preAccept(account, 'wacid.C1', 'v=0\r\n'),
          await api.accept(account, 'wacid.C1', 'v=0\r\n'),
          await api.reject(account, 'wacid.C1'),
          await api.terminate(account, 'wacid.C1'),
        ])
          seen.push(result.type === 'refused' && result.error.class)
      })
      return seen
    }
    for (const code of [100, 131009]) {
      for (const details of gone)
        assert.deepEqual(await classes(code, details), Array(4).fill('callGone'), details)
      for (const details of other)
        assert.deepEqual(await classes(code, details), Array(4).fill('permanent'), details)
    }
    assert.deepEqual(await classes(138007, ''), Array(4).fill('callGone'))
  })
})
