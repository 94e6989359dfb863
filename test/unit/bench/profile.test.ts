import assert from 'node:assert/strict'
import { mergedProfiles, profileOf, profileShares } from '../../../bench/harness/profile.ts'
import { describe, test } from '../../support/harness.ts'

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  ...{ id, callFrame: { functionName, url }, children },
})

const profile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 4, 7, 8, 10]),
    node(2, '(idle)', ''),
    node(3, '(garbage collector)', ''),
    node(4, 'receive', 'file:///srv/dist/src/provider/incoming/webhooks.js', [5, 9]),
    node(5, 'writevGeneric', 'node:internal/stream_base_commons', [6]),
    node(6, 'writev', ''),
    node(7, 'execute', 'file:///srv/node_modules/postgres/src/connection.js'),
    node(8, '(program)', ''),
    node(9, 'run', 'file:///srv/dist/src/platform/actors/cell.js'),
    node(10, 'post', 'node:inspector'),
  ],
  samples: [2, 3, 4, 6, 6, 7, 8, 9, 10],
  timeDeltas: [1_000, 100, 40, 30, 30, 200, 10, 20, 500],
}

describe('where the time of a gateway goes', () => {
  test('is told by part of the program, without the time in which it waits', () =>
    assert.deepEqual(Object.entries(profileOf(profile, 10)), [
      ['postgres', 20],
      ['garbage collector', 10],
      ['node sockets', 6],
      ['provider', 4],
      ['platform/actors', 2],
      ['native', 1],
    ]))
  test('of several rounds is the mean of each part', () =>
    assert.deepEqual(mergedProfiles([{ postgres: 4 }, { postgres: 2, provider: 10 }]), {
      ...{ provider: 5, postgres: 3 },
    }))
  test('is shown in shares that add up to the whole, small ones together', () => {
    const shares = profileShares({ postgres: 60, provider: 39.5, native: 0.5 })
    assert.deepEqual(shares, [
      ['postgres', 60, 0.6],
      ['provider', 39.5, 0.395],
      ['everything else', 0.5, 0.005],
    ])
  })
})
