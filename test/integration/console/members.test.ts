import assert from 'node:assert/strict'
import { encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld } from './console-world.ts'

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
    const audit = (await owner('GET', `/workspaces/${world.ws}/audit`)).body.data
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
