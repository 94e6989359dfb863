import assert from 'node:assert/strict'
import { refusalRuns, refusalsInARow } from '../../../src/campaigns/count-refusals.ts'
import type { SendOutcome } from '../../../src/messaging/ports.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const campaign = { id: newId('campaign'), workspaceId: newId('workspace'), epoch: 3 }
const other = { ...campaign, id: newId('campaign') }

const outcome = (word: string, run: SendOutcome['campaign'] = campaign): SendOutcome => ({
  ...{ messageId: newId('message'), attempt: 1, by: 'campaign', failure: null, campaign: run },
  verdict: verdictOf(word),
})

function verdictOf(word: string): SendOutcome['verdict'] {
  const error = { code: word, title: `No ${word}`, details: 'why', httpStatus: 400 }
  const refusal = { ...error, class: 'permanent', retryAfterMs: null } as const
  if (word === 'ok') return { type: 'accepted', providerMessageId: 'w', held: false, recipientPhone: null }
  if (word === 'again') return { type: 'again', delayMs: 0, counts: true, slow: false, error: refusal }
  return word === 'lost' ? { type: 'unknown', error: refusal } : { type: 'failed', error: refusal }
}

const runsOf = (...words: string[]) =>
  refusalRuns(words.map((word) => outcome(word))).map(({ headCode, head, tailCode, tail, isWhole }) => [
    ...[headCode, head, tailCode, tail, isWhole],
  ])

const times = (count: number, word: string): string[] => Array.from({ length: count }, () => word)

describe('a batch of answers', () => {
  test('is reduced to its first and last answers', () => {
    assert.deepEqual(runsOf('100', '100', '100'), [['100', 3, '100', 3, true]])
    assert.deepEqual(runsOf('100', 'ok', '131026', '131026'), [['100', 1, '131026', 2, false]])
    assert.deepEqual(runsOf('ok', 'ok'), [['', 2, '', 2, true]])
  })

  test('does not count what is tried again or unknown, nor is it interrupted by it', () => {
    assert.deepEqual(runsOf('100', 'again', '100', 'lost', '100'), [['100', 3, '100', 3, true]])
    assert.deepEqual(runsOf('again', 'lost'), [])
  })

  test('does not count what one person does not want, nor is it interrupted by it', () => {
    assert.deepEqual(runsOf('100', '131050', '100', '131062', '100'), [['100', 3, '100', 3, true]])
    assert.deepEqual(runsOf('131050', '131062'), [])
  })

  test('trips in its middle, with the error that repeats and its details', () => {
    const words = ['ok', ...times(refusalsInARow, '131026'), 'ok']
    const [run] = refusalRuns(words.map((word) => outcome(word)))
    assert.deepEqual(run?.tripped, { code: '131026', title: 'No 131026', details: 'why' })
    const fewer = [
      'ok',
      ...times(refusalsInARow - 1, '131026'),
      '100',
      ...times(refusalsInARow - 1, '131026'),
    ]
    assert.equal(refusalRuns(fewer.map((word) => outcome(word)))[0]?.tripped, null)
  })

  test('is divided by campaign and by start of a campaign; single sends are not in it', () => {
    const runs = refusalRuns([
      outcome('100'),
      outcome('ok', other),
      outcome('100', { ...campaign, epoch: 5 }),
      { ...outcome('100'), campaign: undefined },
      outcome('100'),
    ])
    assert.deepEqual(
      runs.map(({ campaignId, epoch, tail }) => [campaignId, epoch, tail]),
      [
        [campaign.id, 3, 2],
        [other.id, 3, 1],
        [campaign.id, 5, 1],
      ],
    )
  })
})
