import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeId } from '../../../src/shared/ids.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const owner = await world.as('OWNER')
const members = `/workspaces/${world.ws}/members`

const roleOf = async (email: string): Promise<string | undefined> =>
  (await owner('GET', members)).body.data.find((member: { email: string }) => member.email === email)?.role

describe('members', () => {
  test('an operator is added by e-mail, gets another role, and is taken out again', async () => {
    const id = encodeId('operator', await world.addOperator('new@example.com'))
    const granted = await owner('POST', members, { email: 'NEW@example.com', role: 'AGENT' })
    assert.deepEqual([granted.status, granted.body], [200, { operatorId: id, role: 'AGENT' }])
    assert.equal(await roleOf('new@example.com'), 'AGENT')
    await owner('POST', members, { email: 'new@example.com', role: 'ADMIN' })
    assert.equal(await roleOf('new@example.com'), 'ADMIN')
    assert.equal((await owner('DELETE', `${members}/${id}`)).status, 204)
    assert.equal(await roleOf('new@example.com'), undefined)
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
        ['member.granted', { role: null }, { role: 'AGENT' }],
      ],
    )
  })

  test('nobody is added who has no account', async () => {
    const reply = await owner('POST', members, { email: 'ghost@example.com', role: 'AGENT' })
    assert.equal(reply.status, 404)
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
