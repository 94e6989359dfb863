import assert from 'node:assert/strict'
import { encodeId } from '../../../src/shared/ids.ts'
import { thread } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const admin = await world.as('ADMIN')
const at = (id: string, what: string) => `/workspaces/${world.ws}/conversations/${id}/${what}`

const conversation = async () => {
  const own = await thread(world.sql, world.workspaceId)
  return { ...own, id: encodeId('conversation', own.conversationId) }
}

describe('the contact of a conversation', () => {
  test('is erased once the number is typed, and by an administrator', async () => {
    const { id, waId } = await conversation()
    const wrong = await admin('POST', at(id, 'erasure'), { confirm: '+15550000000' })
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'confirm'])
    const agent = await world.as('AGENT')
    assert.equal((await agent('POST', at(id, 'erasure'), { confirm: `+${waId}` })).status, 403)
    const begun = await admin('POST', at(id, 'erasure'), { confirm: `+${waId}` })
    assert.deepEqual([begun.status, begun.body.status, begun.body.contact], [202, 'PENDING', waId])
    const again = await admin('POST', at(id, 'erasure'), { confirm: waId })
    assert.deepEqual([again.status, again.body.id], [200, begun.body.id])
    const shown = await admin('GET', `/workspaces/${world.ws}/erasures/${begun.body.id}`)
    assert.deepEqual(shown.body, begun.body)
    const { data } = (await admin('GET', `/workspaces/${world.ws}/audit?action=contact`)).body
    assert.deepEqual(
      data.map(({ action, subjectId, operator, after }: Record<string, unknown>) => [
        action,
        subjectId,
        !!operator,
        after,
      ]),
      [['contact.erasure_requested', begun.body.id, true, null]],
    )
    assert.ok(!JSON.stringify(data).includes(waId), 'the audit has no number')
  })

  test('is one person: a group is neither erased nor exported', async () => {
    const { id, conversationId } = await conversation()
    await world.sql`
      update conversations set contact_id = null, group_id = 'group-1' where id = ${conversationId}`
    for (const [what, body] of [
      ['erasure', { confirm: '' }],
      ['export', {}],
    ] as const) {
      const reply = await admin('POST', at(id, what), body)
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'INVALID_STATE'])
    }
  })

  test('is erased by somebody who has just given the password', async () => {
    const { id, waId } = await conversation()
    await world.sql`update sessions set proved_at = now() - interval '1 hour' where operator_id = ${admin.operatorId}`
    const reply = await admin('POST', at(id, 'erasure'), { confirm: waId })
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'CONFIRMATION_REQUIRED'])
  })

  test('of another workspace is not found, nor is its job', async () => {
    const other = await world.addWorkspace('Other')
    const own = await thread(world.sql, other)
    const id = encodeId('conversation', own.conversationId)
    for (const [what, body] of [['export', {}]] as const)
      assert.equal((await admin('POST', at(id, what), body)).status, 404)
    const stranger = await world.as('ADMIN', { workspaceId: other })
    const mine = await conversation()
    const begun = await admin('POST', at(mine.id, 'export'), {})
    assert.equal(begun.status, 202)
    const path = (ws: string) => `/workspaces/${ws}/exports/${begun.body.id}`
    assert.equal((await admin('GET', path(world.ws))).status, 200)
    assert.equal((await stranger('GET', path(encodeId('workspace', other)))).status, 404)
    assert.equal((await stranger('GET', path(world.ws))).status, 404)
    assert.equal((await admin('GET', `${path(world.ws)}/file`)).body.error.code, 'INVALID_STATE')
  })
})

describe('the days of texts and files', () => {
  test('are set by an owner and audited', async () => {
    const owner = await world.as('OWNER')
    const path = `/workspaces/${world.ws}`
    assert.equal((await owner('GET', path)).body.contentDays, null)
    const { name, contentDays } = (await owner('PATCH', path, { contentDays: 90 })).body
    assert.deepEqual([name, contentDays], ['Acme', 90])
    for (const wrong of [0, 1.5, 3_651])
      assert.equal((await owner('PATCH', path, { contentDays: wrong })).status, 400)
    assert.equal((await admin('PATCH', path, { contentDays: 1 })).status, 403)
    assert.equal((await owner('PATCH', path, { name: 'Acme Ltd' })).body.contentDays, 90)
    const { data } = (await owner('GET', `${path}/audit?action=workspace.edited`)).body
    assert.deepEqual(
      data.map(({ before, after }: Record<string, unknown>) => [before, after]),
      [
        [{ name: 'Acme' }, { name: 'Acme Ltd' }],
        [{ contentDays: null }, { contentDays: 90 }],
      ],
    )
  })
})
