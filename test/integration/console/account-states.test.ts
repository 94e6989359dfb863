// What the provider reports of the account, as the console shows it.
import assert from 'node:assert/strict'
import type { AccountStateRecord } from '../../../src/contract/records/account.ts'
import { encodeId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addTenant } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world

const at = new Date('2026-11-20T10:00:00.000Z')
const tomorrow = new Date(Date.now() + 86_400_000)

const plain = {
  key: '',
  severity: 'INFO',
  number: null,
  template: null,
  advice: null,
  until: null,
  message: 'News.',
}

const insert = (workspaceId: WorkspaceId, state: Record<string, unknown>) =>
  sql`insert into account_states ${sql({ ...plain, workspaceId, at, ...state } as never)}`

async function tenant() {
  const { workspaceId } = await addTenant(sql)
  const viewer = await world.as('VIEWER', { workspaceId })
  const ws = `/workspaces/${encodeId('workspace', workspaceId)}`
  return {
    workspaceId,
    states: async (query = ''): Promise<AccountStateRecord[]> =>
      (await viewer('GET', `${ws}/account${query}`)).body.data,
    attention: async (): Promise<Json[]> => (await viewer('GET', `${ws}/overview`)).body.attention,
  }
}

const hello = { key: 'hello en_US', template: sql.json({ name: 'hello', language: 'en_US' }) }

describe('the states of an account', () => {
  test('of one template, or of none, are there however many others have', async () => {
    const { workspaceId, states } = await tenant()
    const stranger = await tenant()
    await insert(workspaceId, { topic: 'TEMPLATE_QUALITY', status: 'GREEN', ...hello })
    await insert(workspaceId, { topic: 'NUMBER_QUALITY', status: 'ONBOARDING', number: '+15550001111' })
    await sql`
      insert into account_states (workspace_id, topic, key, status, severity, template, message, at)
      select ${workspaceId}, 'TEMPLATE_QUALITY', n || ' en', 'YELLOW', 'INFO',
        jsonb_build_object('name', n::text, 'language', 'en'), 'News.', now()
      from generate_series(1, 600) n`
    const [template] = await sql<
      { id: string }[]
    >`select id from templates where workspace_id = ${workspaceId}`
    const ofOne = `?templateId=${encodeId('template', template?.id ?? '')}`
    const statuses = async (query: string, of = states) => (await of(query)).map(({ status }) => status)
    assert.deepEqual(await statuses(ofOne), ['GREEN'])
    assert.deepEqual(await statuses('?ofTemplates=false'), ['ONBOARDING'])
    assert.equal((await states('?ofTemplates=true')).length, 500)
    assert.deepEqual(await statuses(ofOne, stranger.states), [])
  })

  test('have no status of a template that has another one since', async () => {
    const { workspaceId, states, attention } = await tenant()
    await insert(workspaceId, { topic: 'TEMPLATE_STATUS', status: 'PAUSED', severity: 'WARNING', ...hello })
    assert.deepEqual(await states(), [])
    await sql`update templates set status = 'PAUSED', status_at = now() where workspace_id = ${workspaceId}`
    assert.equal((await states())[0]?.status, 'PAUSED')
    const stopped = (await attention()).find(({ kind }: Json) => kind === 'TEMPLATE_STOPPED')
    assert.equal(Date.parse(stopped.since), at.getTime(), 'since it was told')
  })

  test('are those of the workspace that hold now, the most serious first', async () => {
    const { workspaceId, states } = await tenant()
    const stranger = await tenant()
    const ban = {
      topic: 'BAN',
      status: 'DISABLE',
      severity: 'CRITICAL',
      message: 'Disabled.',
      advice: 'Ask.',
    }
    await insert(workspaceId, {
      topic: 'MESSAGING_LIMIT',
      status: 'TIER_2K',
      details: sql.json({ customers: 2_000 }),
    })
    await insert(workspaceId, { ...ban, until: tomorrow })
    await insert(workspaceId, {
      topic: 'ALERT',
      status: 'OVER',
      severity: 'CRITICAL',
      until: new Date(Date.now() - 1),
    })
    const [first, second, ...others] = await states()
    assert.deepEqual(first, {
      ...{ topic: 'BAN', status: 'DISABLE', severity: 'CRITICAL', number: null, template: null, details: {} },
      ...{
        message: 'Disabled.',
        advice: 'Ask.',
        occurredAt: at.toISOString(),
        until: tomorrow.toISOString(),
      },
    })
    assert.deepEqual([second?.topic, second?.details], ['MESSAGING_LIMIT', { customers: 2_000 }])
    assert.deepEqual(others, [])
    assert.deepEqual(await stranger.states(), [])
  })

  test('that need somebody are in the overview: what, until when, and what to do', async () => {
    const { workspaceId, attention } = await tenant()
    const before = (await attention()).length
    const until = new Date('2099-11-27T10:30:00.000Z')
    const status = 'RESTRICTED_BIZ_INITIATED_MESSAGING'
    await insert(workspaceId, {
      ...{ topic: 'RESTRICTION', key: status, status, severity: 'CRITICAL', until },
      ...{ message: 'The provider restricts starting conversations.', advice: 'Look there.' },
    })
    await insert(workspaceId, {
      ...{ topic: 'TEMPLATE_QUALITY', key: 'a en', status: 'RED', severity: 'WARNING' },
      ...{ template: sql.json({ name: 'a', language: 'en' }), message: 'Red.' },
    })
    await insert(workspaceId, { topic: 'REVIEW', status: 'APPROVED' })
    const items = await attention()
    assert.equal(items.length, before + 2)
    const stopped = items.find(({ kind }: Json) => kind === 'ACCOUNT_STOPPED')
    assert.equal(items[0], stopped, 'it comes first')
    assert.deepEqual(stopped.facts, {
      ...{ topic: 'RESTRICTION', message: 'The provider restricts starting conversations.' },
      ...{ advice: 'Look there.', until: until.toISOString() },
    })
    const warning = items.find(({ kind }: Json) => kind === 'ACCOUNT_WARNING')
    assert.deepEqual(
      [warning.severity, warning.facts.topic, warning.facts.message],
      ['WARNING', 'TEMPLATE_QUALITY', 'Red.'],
    )
  })
})
