import assert from 'node:assert/strict'
import { countedAnswers } from '../../../src/campaigns/count-refusals.ts'
import type { SendOutcome } from '../../../src/messaging/ports.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const campaign = { id: newId('campaign'), workspaceId: newId('workspace'), epoch: 3 }

const outcome = (word: string, run: SendOutcome['campaign'] = campaign): SendOutcome => ({
  ...{
    messageId: newId('message'),
    recipientId: newId('recipient'),
    attempt: 1,
    by: 'campaign',
    failure: null,
    campaign: run,
  },
  verdict: verdictOf(word),
})

function verdictOf(word: string): SendOutcome['verdict'] {
  const error = { code: word, title: `No ${word}`, details: 'why', httpStatus: 400 }
  const refusal = { ...error, class: 'permanent', retryAfterMs: null } as const
  if (word === 'ok') return { type: 'accepted', providerMessageId: 'w', held: false, recipientPhone: null }
  if (word === 'again') return { type: 'again', delayMs: 0, counts: true, slow: null, error: refusal }
  return word === 'lost' ? { type: 'unknown', error: refusal } : { type: 'failed', error: refusal }
}

const codesOf = (...words: string[]) =>
  countedAnswers(words.map((word) => outcome(word))).map(({ code }) => code)

describe('of the answers', () => {
  test('count an acceptance and a refusal, not what is tried again or unknown', () => {
    assert.deepEqual(codesOf('100', 'again', 'ok', 'lost', '131026'), ['100', '', '131026'])
  })

  test('what one person does not want does not count', () => {
    assert.deepEqual(codesOf('100', '131050', '131062'), ['100'])
  })

  test('each has its run of the campaign and its error; single sends have none', () => {
    const later = { ...campaign, epoch: 5 }
    const given = [outcome('100'), { ...outcome('100'), campaign: undefined }, outcome('ok', later)]
    assert.deepEqual(countedAnswers(given), [
      {
        ...{ messageId: given[0]?.messageId, campaignId: campaign.id, workspaceId: campaign.workspaceId },
        ...{ epoch: 3, code: '100', error: { code: '100', title: 'No 100', details: 'why' } },
      },
      {
        ...{ messageId: given[2]?.messageId, campaignId: campaign.id, workspaceId: campaign.workspaceId },
        ...{ epoch: 5, code: '', error: null },
      },
    ])
  })
})
