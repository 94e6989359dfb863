import assert from 'node:assert/strict'
import { encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addTenant } from '../../support/rows.ts'
import { openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const owner = await world.as('OWNER')
const members = `/workspaces/${world.ws}/members`

const roleOf = async (id: string): Promise<string | undefined> =>
  (await owner('GET', members)).body.data.find(({ operatorId }: { operatorId: string }) => operatorId === id)
    ?.role

describe('members', () => {
  test('a member gets another role and is taken out again', async () => {
    const agent = await world.as('AGENT')
    const id = encodeId('operator', agent.operatorId)
    const changed = await owner('PATCH', `${members}/${id}`, { role: 'ADMIN' })
    assert.deepEqual([changed.status, changed.body], [200, { operatorId: id, role: 'ADMIN' }])
    assert.equal(await roleOf(id), 'ADMIN')
    assert.equal((await owner('DELETE', `${members}/${id}`)).status, 204)
    assert.equal(await roleOf(id), undefined)
    assert.equal((await owner('DELETE', `${members}/${id}`)).status, 404)
    const audit = (await owner('GET', `/workspaces/${world.ws}/audit?action=member`)).body.data
    assert.deepEqual(
      audit.map(({ action, before, after }: { action: string; before: object; after: object }) => [
        action,
        before,
        after,
      ]),
      [
        ['member.removed', { role: 'ADMIN' }, { role: null }],
        ['member.granted', { role: 'AGENT' }, { role: 'ADMIN' }],
      ],
    )
  })

  test('a role is changed of members alone', async () => {
    const id = encodeId('operator', await world.addOperator('elsewhere@example.com'))
    assert.equal((await owner('PATCH', `${members}/${id}`, { role: 'AGENT' })).status, 404)
    assert.equal(await roleOf(id), undefined)
  })

  test('a workspace keeps an owner, also when two remove each other at once', async () => {
    const self = encodeId('operator', owner.operatorId)
    assert.equal((await owner('DELETE', `${members}/${self}`)).body.error.code, 'INVALID_STATE')
    const second = await world.as('OWNER')
    const other = encodeId('operator', second.operatorId)
    const replies = await Promise.all([
      owner('DELETE', `${members}/${other}`),
      second('DELETE', `${members}/${self}`),
    ])
    const rows = await world.sql`
      select from memberships where workspace_id = ${world.workspaceId} and role = 'OWNER'`
    assert.equal(rows.count, 1)
    assert.equal(replies.filter(({ status }) => status === 204).length, 1)
  })
})

describe('an operator who is disabled', () => {
  test('is signed out everywhere and cannot sign in, until enabled again with the same roles', async () => {
    const platform = await world.as('VIEWER', { platformOwner: true })
    const elsewhere = await world.addWorkspace('Elsewhere')
    const agent = await world.as('AGENT')
    await world.sql`
      insert into memberships (workspace_id, operator_id, role) values (${elsewhere}, ${agent.operatorId}, 'OWNER')`
    const id = encodeId('operator', agent.operatorId)
    const { email } = (await agent('GET', '/me')).body.operator
    const signIn = () => world.request('POST', '/session', { body: { email, password: PASSWORD } })
    const second = (await signIn()).headers.get('set-cookie')?.split(';')[0] ?? ''
    const disabled = await platform('POST', `${members}/${id}/disable`)
    assert.deepEqual([disabled.status, disabled.body], [200, { operatorId: id, isDisabled: true }])
    for (const cookie of [agent.cookie, second])
      assert.equal((await world.request('GET', '/me', { headers: { cookie } })).status, 401)
    const refused = await signIn()
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'UNAUTHORIZED'])
    const { data } = (await owner('GET', members)).body
    const row = data.find(({ operatorId }: { operatorId: string }) => operatorId === id)
    assert.deepEqual([row.role, typeof row.disabledAt], ['AGENT', 'string'])
    assert.equal((await platform('POST', `${members}/${id}/enable`)).body.isDisabled, false)
    const cookie = (await signIn()).headers.get('set-cookie')?.split(';')[0] ?? ''
    const { workspaces } = (await world.request('GET', '/me', { headers: { cookie } })).body
    assert.deepEqual(workspaces.map(({ role }: { role: string }) => role).sort(), ['AGENT', 'OWNER'])
    const rows = await world.sql`
      select action, operator_id from audit where subject_id = ${agent.operatorId} and workspace_id is null and action like 'operator.%abled' order by id`
    assert.deepEqual(
      rows.map(({ action, operatorId }) => [action, operatorId]),
      ['operator.disabled', 'operator.enabled'].map((action) => [action, platform.operatorId]),
    )
  })

  test('is not the owner that a workspace keeps', async () => {
    const { workspaceId } = await addTenant(world.sql)
    const [last, other] = [await world.as('OWNER', { workspaceId }), await world.as('OWNER', { workspaceId })]
    const platform = await world.as('VIEWER', { platformOwner: true })
    const base = `/workspaces/${encodeId('workspace', workspaceId)}/members`
    const [self, away] = [last, other].map(({ operatorId }) => `${base}/${encodeId('operator', operatorId)}`)
    await platform('POST', `${away}/disable`)
    assert.equal((await last('DELETE', `${self}`)).status, 409)
    await platform('POST', `${away}/enable`)
    assert.ok((await last('DELETE', `${self}`)).status < 300)
  })

  test('is disabled by the platform owner alone, who cannot disable the own account or a stranger', async () => {
    const agent = await world.as('AGENT')
    const id = encodeId('operator', agent.operatorId)
    assert.equal((await owner('POST', `${members}/${id}/disable`)).status, 404)
    assert.equal((await agent('GET', '/me')).status, 200)
    const platform = await world.as('OWNER', { platformOwner: true })
    const self = encodeId('operator', platform.operatorId)
    assert.equal((await platform('POST', `${members}/${self}/disable`)).body.error.code, 'INVALID_STATE')
    const stranger = encodeId('operator', await world.addOperator('stranger@example.com'))
    assert.equal((await platform('POST', `${members}/${stranger}/disable`)).status, 404)
  })
})
