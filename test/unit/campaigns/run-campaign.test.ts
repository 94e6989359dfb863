import assert from 'node:assert/strict'
import { campaignMachine } from '../../../src/campaigns/campaign.machine.ts'
import {
  beginScheduled,
  type CampaignState,
  pauseCampaign,
  type RunPorts,
  type Transition,
} from '../../../src/campaigns/run-campaign.ts'
import type { CampaignRecord } from '../../../src/contract/records/campaign.ts'
import { newId } from '../../../src/shared/ids.ts'
import { canMove } from '../../../src/shared/machine.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const now = new Date('2026-11-23T12:00:00Z')
const scheduled: CampaignState = {
  ...{
    status: 'SCHEDULED',
    epoch: 1,
    startAt: now,
    now,
    canSend: true,
    isSuspended: false,
    hasRecipients: true,
    isRestored: false,
  },
  ...{ template: { name: 'hello', language: 'en_US' }, templateStatus: 'APPROVED', stopped: null },
}

/** What is decided about the campaign in this state. */
async function decided(state: CampaignState, act: (ports: RunPorts) => Promise<unknown>) {
  const decisions: (Transition | null)[] = []
  const record = { status: state.status } as CampaignRecord
  const ports: RunPorts = {
    life: {
      async move(_workspaceId, _id, decide) {
        decisions.push(decide(state))
        return { record, epoch: state.epoch, numberId: null }
      },
      find: async () => record,
      inFlight: async () => 0,
      cancelWaiting: async () => false,
      dueSchedules: async () => [],
    },
    rateLimit: { fence: async () => undefined },
    queue: { wake: () => undefined, beginAt: () => undefined },
    clock: new SimulatedClock(now.getTime()),
  }
  await act(ports)
  const [transition] = decisions
  assert.ok(!transition || canMove(campaignMachine, state.status, transition.to))
  return transition
}

describe('a schedule', () => {
  const begun = (state: CampaignState) => decided(state, (ports) => beginScheduled(ports)(newId('campaign')))

  test('begins at its time', async () => {
    assert.deepEqual(await begun(scheduled), { to: 'RUNNING', pauseReason: null })
    assert.equal(await begun({ ...scheduled, startAt: new Date(now.getTime() + 1) }), null)
  })

  test('becomes a draft where nobody is left on the list, also late', async () => {
    for (const lateMs of [0, 3_600_001]) {
      const startAt = new Date(now.getTime() - lateMs)
      const draft = { to: 'DRAFT', pauseReason: null }
      assert.deepEqual(await begun({ ...scheduled, startAt, hasRecipients: false }), draft)
    }
  })
})

test('a schedule that may have begun before Postgres was restored is left to a person', async () => {
  const state = { ...scheduled, isRestored: true }
  const begun = await decided(state, (ports) => beginScheduled(ports)(newId('campaign')))
  assert.deepEqual(begun, { to: 'PAUSED', pauseReason: 'DATABASE_RESTORED' })
})

describe('a pause', () => {
  const paused = (state: Partial<CampaignState>) =>
    decided({ ...scheduled, ...state }, (ports) =>
      pauseCampaign(ports)(newId('workspace'), newId('campaign')),
    )

  test('of a schedule makes it a draft, and changes nothing the second time', async () => {
    assert.deepEqual(await paused({}), { to: 'DRAFT', pauseReason: null })
    assert.equal(await paused({ status: 'DRAFT', epoch: 2 }), null)
  })

  test('of a draft that was never started is refused', async () => {
    await assert.rejects(paused({ status: 'DRAFT', epoch: 0 }), { code: 'INVALID_STATE' })
  })
})
