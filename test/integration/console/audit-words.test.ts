// The audit in words: what was done, the names of its subjects, and how members sign in.
import assert from 'node:assert/strict'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { addTenant } from '../../support/rows.ts'
import { type Client, type Json, openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const [ours, theirs] = [await addTenant(sql), await addTenant(sql)]
const pathOf = (tenant: typeof ours) => `/workspaces/${encodeId('workspace', tenant.workspaceId)}`
const ws = pathOf(ours)
const owner = await world.as('OWNER', ours)
const stranger = await world.as('OWNER', theirs)

const told = async (client: Client, query = '', base = ws): Promise<string[]> => {
  const { status, body } = await client('GET', `${base}/audit?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map(({ did, subjectName }: Json) => (subjectName === null ? did : `${did} ${subjectName}`))
}

test('entries say what was done to what, also of what is deleted', async () => {
  const hook = { name: 'crm', url: 'https://hooks.acme.com/', events: ['message.received'] }
  const { id } = (await owner('POST', `${ws}/endpoints`, hook)).body
  await owner('POST', `${ws}/endpoints/${id}/rotate`, {})
  await owner('DELETE', `${ws}/endpoints/${id}`)
  const key = (await owner('POST', `${ws}/keys`, { name: 'shop', scopes: ['CHAT_SEND'] })).body
  await owner('DELETE', `${ws}/keys/${key.id}`)
  const email = 'new@example.com'
  const invited = (await owner('POST', `${ws}/invitations`, { email, role: 'AGENT' })).body
  await owner('DELETE', `${ws}/invitations/${invited.id}`)
  await owner('PATCH', `${ws}/numbers/${encodeId('number', ours.numberId)}`, { isDefault: false })
  assert.deepEqual((await told(owner)).slice(0, 8), [
    `Changed the routing of number ${ours.number}`,
    `Revoked the invitation of ${email}`,
    `Invited ${email}`,
    'Revoked API key shop',
    'Created API key shop',
    'Deleted endpoint crm',
    'Rotated the secret of endpoint crm',
    'Created endpoint crm',
  ])
  const second = (await owner('POST', `${ws}/endpoints`, hook)).body
  await owner('PATCH', `${ws}/numbers/${encodeId('number', ours.numberId)}`, { endpointId: second.id })
  const [routed] = (await owner('GET', `${ws}/audit?action=number`)).body.data
  assert.deepEqual([routed.after.endpointId, routed.names], [second.id, { [second.id]: 'crm' }])
  const words = (await owner('GET', `${ws}/audit/actions`)).body.data
  assert.ok(
    words.some(
      ({ action, title }: Json) => action === 'endpoint.secret_rotated' && title === 'Rotated the secret',
    ),
  )
})

test('admins see how members sign in, of this workspace alone, also after they have left', async () => {
  const [agent, elsewhere] = [await world.as('AGENT', ours), await world.as('ADMIN', theirs)]
  const [member] = await sql<{ email: string }[]>`select email from operators where id = ${agent.operatorId}`
  const email = member?.email ?? ''
  await world.request('POST', '/session', { body: { email, password: 'not the password' } })
  const by = `operatorId=${encodeId('operator', agent.operatorId)}`
  await agent('POST', '/me/confirm', { password: PASSWORD })
  const changed = await agent('PUT', '/me/password', {
    password: PASSWORD,
    newPassword: 'another long password',
  })
  assert.ok(changed.status < 300, JSON.stringify(changed.body))
  assert.deepEqual(await told(owner, by), ['Signed in', 'Changed the password', 'Signed out', 'Signed in'])
  const [refused] = (await owner('GET', `${ws}/audit?action=session.refused`)).body.data
  assert.deepEqual(
    [refused.did, refused.subjectName, refused.after.reason],
    ['Sign-in refused for', email, 'PASSWORD'],
  )
  // What the account does besides is its own, and what others do is theirs.
  assert.deepEqual(await told(owner, 'action=session.confirmed'), [])
  assert.deepEqual(await told(owner, `operatorId=${encodeId('operator', elsewhere.operatorId)}`), [])
  assert.equal((await told(stranger, '', pathOf(theirs))).includes(`Sign-in refused for ${email}`), false)
  const viewer = await world.as('VIEWER', ours)
  assert.deepEqual(await told(viewer, 'action=session'), [])
  assert.deepEqual(await told(viewer, 'action=operator'), [])

  await owner('DELETE', `${ws}/members/${encodeId('operator', agent.operatorId)}`)
  await world.request('POST', '/session', { body: { email, password: 'another long password' } })
  assert.deepEqual(await told(owner, by), ['Signed in', 'Changed the password', 'Signed out', 'Signed in'])
})

test('who disabled an account is named, with where from, only where that operator is a member', async () => {
  const agent = await world.as('AGENT', ours)
  await sql`
    insert into memberships (workspace_id, operator_id, role)
    values (${theirs.workspaceId}, ${agent.operatorId}, 'VIEWER')`
  const change = { operatorId: agent.operatorId, by: owner.operatorId, ip: '127.0.0.1', userAgent: null }
  await world.services.operators.setDisabled(change, true)
  const entry = async (client: Client, base: string) =>
    (await client('GET', `${base}/audit?action=operator.disabled`)).body.data[0]
  const [known, unknown] = [await entry(owner, ws), await entry(stranger, pathOf(theirs))]
  assert.deepEqual([known.operator.id, known.ip], [encodeId('operator', owner.operatorId), '127.0.0.1'])
  assert.deepEqual([unknown.operator, unknown.ip], [null, null])
})

test('of who is erased no entry has a name, and none ends in the middle of a sentence', async () => {
  const { workspaceId, numberId } = ours
  const { operatorId } = owner
  const author = { workspaceId, operatorId, ip: '127.0.0.1', keyId: null }
  // The contact of the conversation was merged into another one.
  const [contactId, into, conversationId] = [newId('recipient'), newId('recipient'), newId('conversation')]
  await sql`
    insert into contacts (id, workspace_id, wa_id, name, erased_at, merged_into)
    values (${contactId}, ${workspaceId}, ${`merged:${contactId}`}, null, now(), ${into}),
      (${into}, ${workspaceId}, '351900000000', 'Mia', null, null)`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${workspaceId}, ${numberId}, ${contactId})`
  const { audit, privacy } = world.services
  const [action, subjectKind] = ['conversation.marked_read', 'conversation'] as const
  await audit.note(author, { action, subjectKind, subjectId: conversationId })
  const newest = async () => (await told(owner))[0]
  assert.equal(await newest(), 'Marked as read the conversation with Mia')
  await sql`update contacts set wa_id = ${`erased:${into}`}, name = null, erased_at = now() where id = ${into}`
  assert.equal(await newest(), 'Marked as read the conversation')
  await privacy.requestErasure(author, '351900000000')
  assert.equal(await newest(), 'Asked to erase everything')
  await privacy.requestExport(author, '351900000000')
  assert.equal(await newest(), 'Asked for everything')
  const entries = await told(owner, 'limit=200')
  assert.deepEqual(
    entries.filter((entry) => / (about|as|for|from|of|to|with)$|(erased|merged):/.test(entry)),
    [],
  )
})

test('a key that is named like the id of an operator elsewhere does not tell who that is', async () => {
  const name = encodeId('operator', stranger.operatorId)
  await owner('POST', `${ws}/keys`, { name, scopes: ['CHAT_SEND'] })
  const [made] = (await owner('GET', `${ws}/audit?action=key.created`)).body.data
  assert.deepEqual([made.after.name, made.names], [name, {}])
})
