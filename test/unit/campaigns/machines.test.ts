import assert from 'node:assert/strict'
import { allows, type CampaignOperation, campaignMachine } from '../../../src/campaigns/campaign.machine.ts'
import { recipientMachine } from '../../../src/campaigns/recipient.machine.ts'
import { campaignStatuses, recipientStatuses } from '../../../src/contract/records/campaign.ts'
import { canMove, type Machine } from '../../../src/shared/machine.ts'
import { describe, test } from '../../support/harness.ts'

function everyPair<State extends string>(
  machine: Machine<State>,
  states: readonly State[],
  allowed: Readonly<Record<State, string>>,
): void {
  for (const from of states)
    for (const to of states) {
      const isAllowed = allowed[from].split(' ').includes(to)
      test(`${from} ${isAllowed ? 'leaves' : 'does not leave'} to ${to}`, () => {
        assert.equal(canMove(machine, from, to), isAllowed)
      })
    }
}

describe('campaigns', () => {
  everyPair(campaignMachine, campaignStatuses, {
    DRAFT: 'SCHEDULED RUNNING',
    SCHEDULED: 'RUNNING DRAFT PAUSED CANCELLED',
    RUNNING: 'PAUSED COMPLETED CANCELLED',
    PAUSED: 'RUNNING CANCELLED',
    COMPLETED: '',
    CANCELLED: '',
  })
})

describe('recipients', () => {
  everyPair(recipientMachine, recipientStatuses, {
    PENDING: 'QUEUED UNKNOWN SENT DELIVERED READ FAILED SKIPPED CANCELLED',
    QUEUED: 'PENDING CANCELLED HELD UNKNOWN SENT DELIVERED READ FAILED',
    HELD: 'SENT DELIVERED READ FAILED',
    UNKNOWN: 'QUEUED PENDING CANCELLED HELD SENT DELIVERED READ FAILED',
    SENT: 'DELIVERED READ FAILED',
    DELIVERED: 'READ',
    READ: '',
    FAILED: '',
    SKIPPED: '',
    CANCELLED: '',
  })
})

describe('what may be done to a campaign', () => {
  const allowed: Readonly<Record<CampaignOperation, string>> = {
    change: 'DRAFT SCHEDULED',
    adjust: 'DRAFT SCHEDULED PAUSED',
    addRecipients: 'DRAFT SCHEDULED RUNNING PAUSED',
    removeRecipients: 'DRAFT SCHEDULED PAUSED',
    start: 'DRAFT PAUSED',
    startNow: 'DRAFT SCHEDULED PAUSED',
    pause: 'SCHEDULED RUNNING',
    cancel: 'SCHEDULED RUNNING PAUSED',
    delete: 'DRAFT COMPLETED CANCELLED',
  }
  for (const operation of Object.keys(allowed) as CampaignOperation[])
    for (const status of campaignStatuses) {
      const isAllowed = allowed[operation].split(' ').includes(status)
      test(`${operation} is ${isAllowed ? '' : 'not '}allowed while ${status}`, () => {
        assert.equal(allows(operation, status), isAllowed)
      })
    }
})
